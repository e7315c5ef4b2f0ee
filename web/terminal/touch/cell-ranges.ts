// Owns which cells a finger selects: the word under it, extended by dragging. Cells are numbered through all
// lines of the scrollback. Pure.

/** Half-open range of cells: `to` is excluded. */
export interface CellRange {
  readonly from: number;
  readonly to: number;
}

/** Read access to a terminal's lines for finding words. */
export interface CellReader {
  readonly cols: number;
  readonly rows: number;
  /** Returns a cell's character; "" for the second cell of a wide one. */
  at(column: number, row: number): string | undefined;
  /** Whether a line continues the one before it. */
  isWrapped(row: number): boolean;
}

/** Characters that end a word; paths and URLs are one word. */
const SEPARATOR = /^[\s()[\]{}'"`,;|<>│]$/;

/** Bounds the search in a very long line without separators. */
const MAX_CELLS = 4096;

/** Undefined where there is none. */
export function wordAt(cells: CellReader, cell: number): CellRange | undefined {
  const isPart = (one: number): boolean => {
    const [column, row] = [one % cells.cols, Math.floor(one / cells.cols)];
    if (one < 0 || row >= cells.rows) return false;
    const char = cells.at(column, row);
    // Empty: either the second cell of a wide character or a blank cell.
    if (char === "") return column > 0 && isWide(cells.at(column - 1, row));
    return char !== undefined && !SEPARATOR.test(char);
  };
  const joins = (one: number): boolean =>
    one % cells.cols !== 0 || cells.isWrapped(Math.floor(one / cells.cols));
  if (!isPart(cell)) return undefined;
  let [from, to] = [cell, cell + 1];
  while (cell - from < MAX_CELLS && joins(from) && isPart(from - 1)) from -= 1;
  while (to - cell < MAX_CELLS && joins(to) && isPart(to)) to += 1;
  return { from, to };
}

/** Extends the selection to a cell; the word where the drag began stays selected. */
export function extendTo(word: CellRange, cell: number): CellRange {
  return { from: Math.min(word.from, cell), to: Math.max(word.to, cell + 1) };
}

/** Moves one end to a cell; at least one cell stays selected. */
export function moveEnd({ from, to }: CellRange, end: "from" | "to", cell: number): CellRange {
  return end === "from"
    ? { from: Math.min(cell, to - 1), to }
    : { from, to: Math.max(cell + 1, from + 1) };
}

function isWide(char: string | undefined): boolean {
  return char !== undefined && char !== "" && !SEPARATOR.test(char) && !/^[ -~]$/.test(char);
}
