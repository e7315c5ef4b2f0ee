// Owns a buffer's rows as text, written from the top of a fresh one: which rows fit, how rows are
// joined, and which are wrapped, so that a resize reflows them the same way.

import type { Grid, Line } from "./xterm-internals.ts";
import { CELL_WORDS, COLOR_BITS, Content } from "./xterm-internals.ts";
import type { Links } from "./rows.ts";
import { formatRow, formatUnstyledRow } from "./rows.ts";

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
