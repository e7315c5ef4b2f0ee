// Owns drawing: the README's chart, the plots in docs/ and the tables of docs/performance.md, from the
// figures of a run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonChart } from "./charts/comparison.ts";
import { growthChart } from "./charts/growth.ts";
import { withFigures } from "./charts/markdown.ts";
import { readResults } from "./results.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** The files written; none when there are no results. */
export function drawCharts(file: string): string[] {
  const results = readResults(file);
  if (results === undefined) return [];
  const page = readFileSync(join(DOCS, "performance.md"), "utf8");
  const files: Readonly<Record<string, string>> = {
    "performance.md": withFigures(page, results) ?? page,
    "bench.svg": comparisonChart(results),
    "growth-viewers.svg": growthChart("viewers", results),
    "growth-terminals.svg": growthChart("terminals", results),
  };
  return Object.entries(files).map(([name, content]) => {
    const path = join(DOCS, name);
    writeFileSync(path, content);
    return path;
  });
}
