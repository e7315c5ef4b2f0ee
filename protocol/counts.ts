// Owns how often one sequence may repeat what it does. xterm does it as often as it is told, up to
// two billion times, and meanwhile nothing else: fifteen bytes in a file would stop the bridge, or
// the page, for minutes. Beyond what fills the screen no repetition changes what is seen.

/** Of `CSI … b`: more than any line, and printed in about a millisecond. */
const MOST_CHARACTERS = 10_000;

/** What xterm's terminals have in common, in the page and without one. */
export interface CountingTerminal {
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

/** xterm's own handlers. One in front of them is given a copy of the numbers, and cannot change them. */
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

/** Until the terminal is disposed. */
export function boundCounts(terminal: CountingTerminal): void {
  const bound = (final: Final, most: () => number) => {
    terminal.parser.registerCsiHandler({ final }, ([count]) => {
      const limit = most();
      if (typeof count !== "number" || count <= limit) return false;
      // Without its handler, in another xterm, it is better left out.
      if (limit > 0) terminal._core?._inputHandler?.[HANDLERS[final]]?.({ params: [limit] });
      return true;
    });
  };
  for (const final of ["L", "M", "S", "T"] as const) bound(final, () => terminal.rows);
  for (const final of ["I", "Z"] as const) bound(final, () => terminal.cols);
  bound("b", () => repetitions(terminal));
}

/** By what is repeated: a cell may hold one character and thousands of marks above it. */
function repetitions({ cols, rows, buffer }: CountingTerminal): number {
  const { active } = buffer;
  const line = active.getLine(active.baseY + active.cursorY);
  // A wide one is two cells back.
  const lengths = [1, 2].map(
    (back) => line?.getCell(active.cursorX - back)?.getChars().length ?? 0,
  );
  const most = Math.min(MOST_CHARACTERS, cols * rows);
  return Math.floor(most / Math.max(1, ...lengths));
}
