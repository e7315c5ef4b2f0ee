// Owns the text of one row of cells: characters, gaps and styles. It starts and ends with the plain
// style on a blank row, so any row can follow. Also owns a buffer's rows as text, written from the
// top of a fresh one: which rows fit, how rows are joined, and which are wrapped, so that a resize
// reflows them the same way.

import { MAX_COLUMNS } from "../../protocol/limits.ts";
import { formatMode, WRAP_MODE } from "../sequences/mode-table.ts";
import type { Style } from "./cell-style.ts";
import { toErasedStyle, formatChange, createPlainStyle, getStyle } from "./cell-style.ts";
import type { Line, Grid } from "./xterm-internals.ts";
import { Bg, CELL_WORDS, COLOR_BITS, Content } from "./xterm-internals.ts";

/** Returns the sequence that starts a link, or with 0 ends it. */
export type Links = (id: number) => string;

/** Ends a run of characters, so that a following zero-width one stays in its own cell. */
const NOT_JOINED = "\x0f";

/** Returns the text of a row up to a column. */
function formatRow(line: Line, untilColumn: number, links: Links): string {
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
function formatUnstyledRow(line: Line, untilColumn: number): string {
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

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Marks the next row as wrapped by printing over the margin; both cells are blank afterwards. */
const forceWrap = (cols: number) => `\x1b[${cols}G--\r\x1b[X\x1b[A\x1b[${cols}G\x1b[X\r`;

/** Marks the first row as wrapped, by a row above it that is then scrolled away. */
const forceFirst = (cols: number) => `\x1b[${cols}G--\x1b[S\x1b[H\x1b[X`;

/** Returns the rows in at most `maxBytes`. Drops rows above the screen first, from the top. */
export function formatGrid(grid: Grid, size: Size, maxBytes: number, links: Links): string {
  const { cols, rows } = size;
  const screenFrom = grid.lines.length - rows;
  const pieces: string[] = [];
  let left = maxBytes - forceFirst(cols).length;
  let forcedBelow = false;
  let first = grid.lines.length;
  for (let at = first - 1; at >= 0; at--) {
    const line = grid.lines.get(at);
    // The lines are a ring: an index past the end would return its start.
    const next = at + 1 < grid.lines.length ? grid.lines.get(at + 1) : undefined;
    if (line === undefined) break;
    const goesOn = next?.isWrapped === true && rows > 1;
    const until: number | undefined =
      goesOn && !forcedBelow ? findNaturalEnd(line, next, cols) : undefined;
    const forced: boolean = goesOn && until === undefined;
    const text = formatRow(line, until ?? cols, links);
    const piece = (forced ? forceWrap(cols) : "") + text + formatStep(next, forced, until);
    left -= Buffer.byteLength(piece);
    // The screen's attributes do not fit: only its characters.
    if (left < 0) return at < screenFrom ? finish(first) : formatUnstyled(grid, size, maxBytes);
    pieces.push(piece);
    forcedBelow = forced;
    first = at;
  }
  return finish(first);

  function finish(from: number): string {
    const isContinued = grid.lines.get(from)?.isWrapped === true && rows > 1;
    return (isContinued ? forceFirst(cols) : "") + pieces.toReversed().join("");
  }
}

/** Returns the step from the end of a row to the start of the next one. */
function formatStep(next: Line | undefined, forced: boolean, until: number | undefined): string {
  if (next === undefined || until !== undefined) return "";
  return forced ? "\r\x1b[B" : "\r\n";
}

/**
 * Returns the column up to which to print a row so that the next one wraps naturally; undefined if
 * it would not, or would colour its whole row.
 */
function findNaturalEnd(line: Line, next: Line, cols: number): number | undefined {
  const content = next._data[0] ?? 0;
  const bg = next._data[2] ?? 0;
  const width = content >>> Content.widthShift;
  if ((content & Content.any) === 0 || width === 0 || (bg & COLOR_BITS) !== 0) return undefined;
  const last = line._data[(cols - 1) * CELL_WORDS] ?? 0;
  const isPrinted = (last & Content.any) !== 0 && last >>> Content.widthShift > 0;
  const isWide =
    cols > 1 && (line._data[(cols - 2) * CELL_WORDS] ?? 0) >>> Content.widthShift === 2;
  if (isPrinted || (last >>> Content.widthShift === 0 && isWide)) return cols;
  // A wide character with one column left wraps, and leaves that column empty.
  if (width !== 2 || (last & Content.any) !== 0) return undefined;
  const before = line._data[(cols - 2) * CELL_WORDS] ?? 0;
  const isEmptyBefore = (before & Content.any) === 0 && before >>> Content.widthShift > 0;
  const sameLook =
    line._data[(cols - 1) * CELL_WORDS + 1] === next._data[1] &&
    line._data[(cols - 1) * CELL_WORDS + 2] === bg;
  return isEmptyBefore || !sameLook ? undefined : cols - 1;
}

function formatUnstyled(grid: Grid, { cols, rows }: Size, maxBytes: number): string {
  const pieces: string[] = [];
  let left = maxBytes - 2 * rows;
  for (let row = rows - 1; row >= 0; row--) {
    const line = grid.lines.get(grid.lines.length - rows + row);
    const text = line === undefined ? "" : formatUnstyledRow(line, cols);
    left -= Buffer.byteLength(text);
    pieces.push(left < 0 ? "" : text);
  }
  return pieces.toReversed().join("\r\n");
}
