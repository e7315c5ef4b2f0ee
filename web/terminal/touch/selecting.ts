// Owns which cells a finger selects: the word under it, and what dragging makes of that. Cells are
// counted through all lines of the scrollback, one after the other. Pure.

/** From a cell to before another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A terminal's lines, as far as words are sought in them. */
export interface Cells {
  readonly cols: number;
  readonly rows: number;
  /** What stands in a cell: nothing behind a wide character. */
  at(column: number, row: number): string | undefined;
  /** Whether a line goes on with the one before it. */
  isWrapped(row: number): boolean;
}

/** What a word ends at; paths and addresses are one word. */
const SEPARATOR = /^[\s()[\]{}'"`,;|<>│]$/;

/** A screen of one unbroken line is not walked through for ever. */
const MOST_CELLS = 4096;

/** Undefined where there is none. */
export function wordAt(cells: Cells, cell: number): Range | undefined {
  const isPart = (one: number): boolean => {
    const [column, row] = [one % cells.cols, Math.floor(one / cells.cols)];
    if (one < 0 || row >= cells.rows) return false;
    const sign = cells.at(column, row);
    // Behind a wide character stands nothing, on an empty line too.
    if (sign === "") return column > 0 && isWide(cells.at(column - 1, row));
    return sign !== undefined && !SEPARATOR.test(sign);
  };
  const joins = (one: number): boolean =>
    one % cells.cols !== 0 || cells.isWrapped(Math.floor(one / cells.cols));
  if (!isPart(cell)) return undefined;
  let [from, to] = [cell, cell + 1];
  while (cell - from < MOST_CELLS && joins(from) && isPart(from - 1)) from -= 1;
  while (to - cell < MOST_CELLS && joins(to) && isPart(to)) to += 1;
  return { from, to };
}

/** A drag begun on a word keeps it. */
export function extended(word: Range, cell: number): Range {
  return { from: Math.min(word.from, cell), to: Math.max(word.to, cell + 1) };
}

/** One end taken to a cell; at least one cell stays. */
export function moved({ from, to }: Range, end: "from" | "to", cell: number): Range {
  return end === "from"
    ? { from: Math.min(cell, to - 1), to }
    : { from, to: Math.max(cell + 1, from + 1) };
}

function isWide(sign: string | undefined): boolean {
  return sign !== undefined && sign !== "" && !SEPARATOR.test(sign) && !/^[ -~]$/.test(sign);
}
