// Owns the limits on repeat counts in control sequences. xterm obeys any count, up to two billion,
// and blocks meanwhile: fifteen bytes in a file would stop the bridge or the page for minutes.
// Repetitions beyond a full screen change nothing visible.

/** For `CSI … b`: longer than any line, and printed in about a millisecond. */
const MAX_CHARACTERS = 10_000;

/** The part that xterm and xterm-headless have in common. */
export interface RepeatLimitTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly buffer: {
    readonly active: {
      readonly cursorX: number;
      readonly cursorY: number;
      readonly baseY: number;
      getLine(y: number): { getCell(x: number): { getChars(): string } | undefined } | undefined;
    };
  };
  readonly parser: {
    registerCsiHandler(
      id: { readonly final: string },
      callback: (params: (number | number[])[]) => boolean,
    ): unknown;
  };
  readonly _core?: {
    readonly _inputHandler?: Partial<
      Record<(typeof HANDLERS)[Final], (counted: { readonly params: number[] }) => boolean>
    >;
  };
}

/**
 * Names of xterm's own handlers. A registered handler gets only a copy of the parameters, so it
 * cannot change them for the next one.
 */
const HANDLERS = {
  I: "cursorForwardTab",
  L: "insertLines",
  M: "deleteLines",
  S: "scrollUp",
  T: "scrollDown",
  Z: "cursorBackwardTab",
  b: "repeatPrecedingCharacter",
} as const;

type Final = keyof typeof HANDLERS;

/** Limits the repeat counts of a terminal until it is disposed. */
export function limitRepeatCounts(terminal: RepeatLimitTerminal): void {
  const bound = (final: Final, getLimit: () => number) => {
    terminal.parser.registerCsiHandler({ final }, ([count]) => {
      const limit = getLimit();
      if (typeof count !== "number" || count <= limit) return false;
      // An xterm version without this handler ignores the sequence instead.
      if (limit > 0) terminal._core?._inputHandler?.[HANDLERS[final]]?.({ params: [limit] });
      return true;
    });
  };
  for (const final of ["L", "M", "S", "T"] as const) bound(final, () => terminal.rows);
  for (const final of ["I", "Z"] as const) bound(final, () => terminal.cols);
  bound("b", () => getMaxRepetitions(terminal));
}

/** Returns the repeat limit, by what is repeated: a cell may hold thousands of combining marks. */
function getMaxRepetitions({ cols, rows, buffer }: RepeatLimitTerminal): number {
  const { active } = buffer;
  const line = active.getLine(active.baseY + active.cursorY);
  // A wide character is two cells back.
  const lengths = [1, 2].map(
    (back) => line?.getCell(active.cursorX - back)?.getChars().length ?? 0,
  );
  const getLimit = Math.min(MAX_CHARACTERS, cols * rows);
  return Math.floor(getLimit / Math.max(1, ...lengths));
}
