// Proves the verdicts on a table of many calls: harmless ones, ones that hide a write or a run, ones
// that are hard to undo, and ordinary ones that only look so. The table is data, in test/fixtures.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgeShell } from "./policy.ts";
import { isAtLeastVerdict, type Verdict } from "./verdict.ts";

interface Row {
  readonly why: string;
  readonly verdict: Verdict;
  readonly match: "exact" | "at-least" | "at-most";
  readonly commands: readonly string[];
}

const table = new URL("../../test/fixtures/verdict-commands.json", import.meta.url);
const rows = JSON.parse(readFileSync(table, "utf8")) as Row[];

function fits({ match, verdict: wanted }: Row, verdict: Verdict): boolean {
  if (match === "exact") return verdict === wanted;
  return match === "at-most"
    ? isAtLeastVerdict(wanted, verdict)
    : isAtLeastVerdict(verdict, wanted);
}

describe("a table of calls", () => {
  it.each(rows)(
    "A17 A22 A23 A53 A54 A55 A56 A63 A64 A67 A68 A69 A70 A71 A77 A78 A79 A84 A85 $match $verdict: $why",
    (row) => {
      const wrong = row.commands.flatMap((command) => {
        const { verdict, why } = judgeShell(command, { cwd: "/home/u/work/app" });
        return fits(row, verdict) ? [] : [`${command}: ${verdict} (${why.join("; ")})`];
      });
      expect(wrong).toEqual([]);
    },
  );
});
