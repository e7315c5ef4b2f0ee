// Owns drawing: the README's chart and the plots in docs/, from the figures of a run.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonChart } from "./charts/comparison.ts";
import { growthChart } from "./charts/growth.ts";
import { readResults } from "./results.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** The files written; none when there are no results. */
export function drawCharts(file: string): string[] {
  const results = readResults(file);
  if (results === undefined) return [];
  const charts: Readonly<Record<string, string>> = {
    "bench.svg": comparisonChart(results),
    "growth-viewers.svg": growthChart("viewers", results),
    "growth-terminals.svg": growthChart("terminals", results),
  };
  return Object.entries(charts).map(([name, content]) => {
    const path = join(DOCS, name);
    writeFileSync(path, content);
    return path;
  });
}
