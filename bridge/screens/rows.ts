// Owns the text of one row of cells: characters, gaps and styles. It starts and ends with the plain
// style on a blank row, so any row can follow.

import { MAX_COLUMNS } from "../../protocol/limits.ts";
import { formatMode, WRAP_MODE } from "../sequences/mode-table.ts";
import type { Line } from "./xterm-internals.ts";
import { Bg, CELL_WORDS, COLOR_BITS, Content } from "./xterm-internals.ts";
import type { Style } from "./cell-style.ts";
import { toErasedStyle, formatChange, createPlainStyle, getStyle } from "./cell-style.ts";

/** Returns the sequence that starts a link, or with 0 ends it. */
export type Links = (id: number) => string;

/** Ends a run of characters, so that a following zero-width one stays in its own cell. */
const NOT_JOINED = "\x0f";

/** Returns the text of a row up to a column. */
export function formatRow(line: Line, untilColumn: number, links: Links): string {
  const data = line._data;
  const end = findContentEnd(line, Math.min(untilColumn, line.length));
  let text = "";
  let style: Style = PLAIN;
  let gap = 0;
  let run = 0;
  for (let column = 0; column < end; column++) {
    const content = data[column * CELL_WORDS] ?? 0;
    const fg = data[column * CELL_WORDS + 1] ?? 0;
    const bg = data[column * CELL_WORDS + 2] ?? 0;
    // Hot path: a single character with the style of the previous one.
    const isSameStyle = style.fg === fg && style.bg === bg && (bg & Bg.extended) === 0 && gap === 0;
    if (isSameStyle && isSimpleCell(content)) {
      units[run++] = content & Content.codePoint;
      continue;
    }
    if (run > 0) text += takeUnits(run);
    run = 0;
    if ((content & Content.any) === 0) {
      if (style.bg !== (bg & COLOR_BITS)) {
        if (gap > 0) text += formatGap(gap, style);
        gap = 0;
        const erased = toErasedStyle(bg);
        text += formatChange(style, erased, links);
        style = erased;
      } else if (gap === 0 && style.bg === 0 && style !== PLAIN) {
        text += formatChange(style, PLAIN, links);
        style = PLAIN;
      }
      gap += 1;
      continue;
    }
    if (gap > 0) text += formatGap(gap, style);
    gap = 0;
    if (style.fg !== fg || style.bg !== bg || (bg & Bg.extended) !== 0) {
      const next = getStyle(line, column, fg, bg);
      text += formatChange(style, next, links);
      style = next;
    }
    const width = content >>> Content.widthShift;
    if (width === 0) text += NOT_JOINED;
    text += getCharacters(line, column);
    if (width !== 2) continue;
    column += 1;
    if (column >= end || !isPrintedOver(line, column)) continue;
    const over = getStyleAt(line, column);
    text += formatChange(style, over, links) + printOverHalf(getCharacters(line, column));
    style = over;
  }
  if (run > 0) text += takeUnits(run);
  // Nothing follows a gap at the end, so the cursor may stay before it.
  if (gap > 0 && style.bg !== 0) text += `\x1b[${gap}X`;
  return text + formatChange(style, PLAIN, links);
}

/** Returns the row's characters without styles. */
export function formatUnstyledRow(line: Line, untilColumn: number): string {
  const end = findContentEnd(line, Math.min(untilColumn, line.length));
  let text = "";
  for (let column = 0; column < end; column++) {
    const content = line._data[column * CELL_WORDS] ?? 0;
    const width = content >>> Content.widthShift;
    text += (content & Content.any) === 0 ? " " : getCharacters(line, column);
    if (width === 2) column += 1;
  }
  return text.trimEnd();
}

const PLAIN = createPlainStyle();

/** Buffer for characters: joining them one by one costs ten times as much. */
const units = new Uint16Array(2 * MAX_COLUMNS);
const unitBytes = Buffer.from(units.buffer);

function takeUnits(count: number): string {
  return unitBytes.toString("utf16le", 0, 2 * count);
}

/** Whether a cell has one column, one UTF-16 unit and no combining marks. */
function isSimpleCell(content: number): boolean {
  const unit = content & Content.any;
  return content >>> Content.widthShift === 1 && unit > 0 && unit <= 0xffff;
}

/** Returns the end of the last column that is not an untouched cell. */
function findContentEnd({ _data: data }: Line, columns: number): number {
  let end = columns;
  while (end > 0) {
    const at = (end - 1) * CELL_WORDS;
    if (((data[at] ?? 0) & Content.any) !== 0 || ((data[at + 2] ?? 0) & COLOR_BITS) !== 0) break;
    end -= 1;
  }
  return end;
}

function formatGap(gap: number, { bg }: Style): string {
  return bg === 0 ? `\x1b[${gap}C` : `\x1b[${gap}X\x1b[${gap}C`;
}

/**
 * Prints over the second half of a wide character at the margin, without wrapping: xterm then keeps
 * the first half, and only printing the same way restores both.
 */
export function printOverHalf(text: string): string {
  return formatMode(WRAP_MODE, false) + text + formatMode(WRAP_MODE, true);
}

/** Whether the last column has its own character, over half of a wide one. */
export function isPrintedOver({ _data: data, length }: Line, column: number): boolean {
  const before = data[(column - 1) * CELL_WORDS] ?? 0;
  const isAtMargin = column > 0 && column === length - 1;
  const isPrinted = ((data[column * CELL_WORDS] ?? 0) & Content.any) !== 0;
  return isAtMargin && isPrinted && before >>> Content.widthShift === 2;
}

export function getStyleAt(line: Line, column: number): Style {
  return getStyle(
    line,
    column,
    line._data[column * CELL_WORDS + 1] ?? 0,
    line._data[column * CELL_WORDS + 2] ?? 0,
  );
}

/** Returns the characters of a cell. */
export function getCharacters(line: Line, column: number): string {
  const content = line._data[column * CELL_WORDS] ?? 0;
  if ((content & Content.combined) !== 0) return line._combined[column] ?? "";
  return String.fromCodePoint(content & Content.codePoint);
}
