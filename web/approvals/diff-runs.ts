// Owns splitting a unified diff into runs of lines for colouring. Pure.

export type DiffKind = "file" | "place" | "added" | "removed" | "same";

export interface DiffRun {
  readonly kind: DiffKind;
  /** Whole lines; all runs together are the diff. */
  readonly text: string;
}

export function toDiffRuns(diff: string): DiffRun[] {
  const runs: DiffRun[] = [];
  let isInside = false;
  for (const line of diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const kind = toDiffKind(line, isInside);
    if (kind === "place") isInside = true;
    if (/^(?:diff|Index:) /.test(line)) isInside = false;
    const last = runs.at(-1);
    if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + line };
    else runs.push({ kind, text: line });
  }
  return runs;
}

/** Returns the kind of a line: `---` and `+++` name files only before the first hunk. */
function toDiffKind(line: string, isInside: boolean): DiffKind {
  if (/^(?:diff|Index:) /.test(line)) return "file";
  if (line.startsWith("@@")) return "place";
  if (!isInside && /^(?:---|\+\+\+) /.test(line)) return "file";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}
