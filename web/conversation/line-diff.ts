// Owns the line diff between two texts, in the notation that the page's colours know. Pure.

/** Unchanged lines shown around a change. */
const CONTEXT = 3;

/**
 * Size limit of the comparison table; beyond it, the old text is shown as removed and the new one
 * as added.
 */
const MAX_CELLS = 1_000_000;

type DiffLine = { readonly is: " " | "+" | "-"; readonly text: string };

/** Returns a diff whose lines begin with a space, `+`, `-` or `@@`; empty if nothing changed. */
export function diffLines(before: string | null, after: string): string {
  const lines = compareLines(splitLines(before ?? ""), splitLines(after));
  return toHunks(lines).map(formatHunk).join("");
}

/** Counts added and removed lines. */
export function countChanges(diff: string): { added: number; removed: number } {
  const begins = (sign: string): number =>
    diff.split("\n").filter((line) => line.startsWith(sign)).length;
  return { added: begins("+"), removed: begins("-") };
}

function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

export function compareLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const maxTail = Math.min(before.length, after.length) - head;
  while (tail < maxTail && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ is: " ", text }));
  return [
    ...same(before.slice(0, head)),
    ...diffMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** Compares by the longest common subsequence of lines. */
function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ is: "-", text });
  const added = (text: string): DiffLine => ({ is: "+", text });
  if (before.length * after.length > MAX_CELLS || before.length === 0 || after.length === 0)
    return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old = "", fresh = ""] = [before[row], after[column]];
    if (row < before.length && column < after.length && old === fresh) {
      lines.push({ is: " ", text: old });
      row += 1;
      column += 1;
    } else if (
      column === after.length ||
      (row < before.length && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push(removed(old));
      row += 1;
    } else {
      lines.push(added(fresh));
      column += 1;
    }
  }
  return lines;
}

interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly DiffLine[];
}

/** Groups changes with the lines around them; adjacent groups are merged. */
function toHunks(lines: readonly DiffLine[]): Hunk[] {
  const near = new Set<number>();
  for (const [index, { is }] of lines.entries()) {
    if (is === " ") continue;
    for (let by = -CONTEXT; by <= CONTEXT; by += 1) near.add(index + by);
  }
  const hunks: { from: number; to: number; lines: DiffLine[] }[] = [];
  let [from, to, isInside] = [1, 1, false];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) {
      if (!isInside) hunks.push({ from, to, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
    isInside = near.has(index);
    if (line.is !== "+") from += 1;
    if (line.is !== "-") to += 1;
  }
  return hunks;
}

function formatHunk({ from, to, lines }: Hunk): string {
  const count = (without: string): number => lines.filter(({ is }) => is !== without).length;
  const place = `@@ -${from},${count("+")} +${to},${count("-")} @@\n`;
  return place + lines.map(({ is, text }) => `${is}${text}\n`).join("");
}
