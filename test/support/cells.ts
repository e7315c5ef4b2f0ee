// Owns a page's terminal as plain values, to be compared cell by cell with another's.

import type { Visitor } from "./browser.ts";

export interface Shown {
  readonly size: string;
  readonly cursor: string;
  readonly buffer: string;
  readonly modes: object;
  /** What a person sees, without looks. */
  readonly lines: string[];
  /** Each cell with its looks, where they can be seen. */
  readonly cells: string[];
}

/** The screen of the terminal in view, without its scrollback. */
export async function shownBy(visitor: Visitor): Promise<Shown> {
  return await visitor.page.evaluate(() => {
    const host = document.querySelector<HTMLElement & { terminal?: Emulator }>(
      '.panel[data-active="true"] .host',
    );
    const term = host?.terminal;
    if (!term) return { size: "", cursor: "", buffer: "", modes: {}, lines: [], cells: [] };
    const { active } = term.buffer;
    const lookOf = (cell: Cell): string => {
      const back = `${cell.getBgColorMode()}:${cell.getBgColor()}`;
      const front = `${cell.getFgColorMode()}:${cell.getFgColor()}`;
      const flags = [
        cell.isBold(),
        cell.isItalic(),
        cell.isDim(),
        cell.isUnderline(),
        cell.isInverse(),
        cell.isInvisible(),
        cell.isStrikethrough(),
        cell.isOverline(),
      ].map((flag) => (flag ? 1 : 0));
      // Of a blank only lines across it and what is behind it can be seen.
      const isBlank = cell.getChars().trim() === "" && flags.every((flag) => flag === 0);
      const plain = flags.every((flag) => flag === 0) ? "" : flags.join("");
      return isBlank ? back : `${front}/${back}${plain}`;
    };
    const lines: string[] = [];
    const cells: string[] = [];
    for (let row = 0; row < term.rows; row++) {
      const line = active.getLine(active.baseY + row);
      lines.push(line?.translateToString(true).trimEnd() ?? "");
      let text = line?.isWrapped ? "↩" : "";
      let look = "";
      for (let column = 0; column < term.cols; column++) {
        const cell = line?.getCell(column);
        if (!cell) continue;
        const now = lookOf(cell);
        if (now !== look) text += `<${(look = now)}>`;
        text += cell.getWidth() === 0 ? "" : cell.getChars() || " ";
      }
      cells.push(text);
    }
    return {
      size: `${term.cols}×${term.rows}`,
      cursor: `${active.cursorX},${active.cursorY}`,
      buffer: active.type,
      modes: { ...term.modes },
      lines,
      cells,
    };
  });
}

/** What the page leaves on its element for us, as far as we use it. */
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
}

interface Line {
  isWrapped: boolean;
  translateToString(trim: boolean): string;
  getCell(column: number): Cell | undefined;
}

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
  isUnderline(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
  isOverline(): number;
}
