// Owns an xterm's screen as plain values, to be compared cell by cell with another's. One function
// reads it wherever it is: sent into the page, and into the bridge (bridge-memory.ts).

import type { Visitor } from "./browser.ts";

export interface Shown {
  readonly size: string;
  readonly cursor: string;
  readonly buffer: string;
  readonly modes: object;
  /** What a person reads. */
  readonly lines: string[];
  /**
   * Each cell with its width and all of its look. `²` and `⁰` are the halves of a wide character, `∅`
   * is a cell in which nothing was printed. A look is named where it begins: foreground/background,
   * flags (see `FLAGS`), underline's style and colour, link.
   */
  readonly cells: string[];
}

/** The screen of the terminal in view, without its scrollback. */
export async function shownBy(visitor: Visitor): Promise<Shown> {
  const terminal = await visitor.page.evaluateHandle(() => {
    const hosts = '.panel[data-active="true"] .host';
    return document.querySelector<HTMLElement & { terminal?: Emulator }>(hosts)?.terminal;
  });
  try {
    return await terminal.evaluate(readScreen);
  } finally {
    await terminal.dispose();
  }
}

/** Runs in another process: it can use nothing from around it. */
export function readScreen(term: Emulator | undefined): Shown {
  if (!term) return { size: "", cursor: "", buffer: "", modes: {}, lines: [], cells: [] };
  const FLAGS = {
    bold: "isBold",
    dim: "isDim",
    italic: "isItalic",
    blink: "isBlink",
    inverse: "isInverse",
    invisible: "isInvisible",
    struck: "isStrikethrough",
    overlined: "isOverline",
  } as const;
  const { active } = term.buffer;
  // 0 is the default, 1 of 16, 2 of 256, 3 of 24 bits.
  const color = (mode: number, value: number) => `${mode >>> 24}:${value.toString(16)}`;
  const getLook = (cell: Cell): string => {
    const front = color(cell.getFgColorMode(), cell.getFgColor());
    const back = color(cell.getBgColorMode(), cell.getBgColor());
    const flags = Object.entries(FLAGS).flatMap(([name, is]) => (cell[is]() ? [name] : []));
    if (cell.isUnderline()) {
      const line = color(cell.getUnderlineColorMode(), cell.getUnderlineColor());
      flags.push(`underline ${cell.getUnderlineStyle()} ${line}`);
    }
    const link = cell.extended.urlId;
    if (link) flags.push(String(term._core._oscLinkService.getLinkData(link)?.uri));
    return [`${front}/${back}`, ...flags].join(",");
  };
  const plain = "0:-1/0:-1";
  const lines: string[] = [];
  const cells: string[] = [];
  for (let row = 0; row < term.rows; row++) {
    const line = active.getLine(active.baseY + row);
    lines.push(line?.translateToString(true).trimEnd() ?? "");
    let text = line?.isWrapped ? "↩" : "";
    let look = plain;
    for (let column = 0; column < term.cols; column++) {
      const cell = line?.getCell(column);
      if (!cell) continue;
      const now = getLook(cell);
      if (now !== look) text += `<${(look = now)}>`;
      const width = cell.getWidth();
      const empty = width === 0 ? "⁰" : "∅";
      text += (cell.getChars() || empty) + (width === 2 ? "²" : "");
    }
    // The rest of a row, for whoever reads a difference.
    cells.push(look === plain ? text.replace(/∅+$/, "") : text);
  }
  return {
    size: `${term.cols}×${term.rows}`,
    cursor: `${active.cursorX},${active.cursorY}`,
    buffer: active.type,
    modes: { ...term.modes },
    lines,
    cells,
  };
}

/** What the page leaves on its element for us, as far as we use it; the bridge's has the same. */
interface Emulator {
  cols: number;
  rows: number;
  modes: object;
  buffer: {
    active: {
      type: string;
      baseY: number;
      cursorX: number;
      cursorY: number;
      getLine(row: number): Line | undefined;
    };
  };
  _core: { _oscLinkService: { getLinkData(id: number): { uri: string } | undefined } };
}

interface Line {
  isWrapped: boolean;
  translateToString(trim: boolean): string;
  getCell(column: number): Cell | undefined;
}

/** The last four are not in xterm's typings, and in every cell it hands out. */
interface Cell {
  getChars(): string;
  getWidth(): number;
  getFgColorMode(): number;
  getBgColorMode(): number;
  getFgColor(): number;
  getBgColor(): number;
  isBold(): number;
  isItalic(): number;
  isDim(): number;
  isBlink(): number;
  isUnderline(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
  isOverline(): number;
  getUnderlineStyle(): number;
  getUnderlineColor(): number;
  getUnderlineColorMode(): number;
  extended: { urlId: number };
}
