// Owns what a run leaves behind: a file that the charts and the tables in the docs are made from.

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import type { Section } from "./figures.ts";

export interface Results {
  readonly mode: "short" | "full";
  readonly rounds: number;
  readonly machine: {
    readonly cores: number;
    readonly node: string;
    readonly loadBefore: number;
    readonly loadAfter: number;
  };
  readonly sections: readonly Section[];
  /** About what was left out. */
  readonly notes: readonly string[];
}

export function machineNow(loadBefore: number): Results["machine"] {
  return {
    cores: cpus().length,
    node: process.versions.node,
    loadBefore,
    loadAfter: loadNow(),
  };
}

export function loadNow(): number {
  const [minute = 0] = loadavg();
  return Math.round(minute * 100) / 100;
}

export function readResults(file: string): Results | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** What was not measured this time stays as it is in the file, and so does what it says of the run. */
export function writeResults(file: string, results: Results, onlySome: boolean): void {
  const before = onlySome ? readResults(file) : undefined;
  writeFileSync(file, `${JSON.stringify(merged(before, results), null, 2)}\n`);
}

function merged(before: Results | undefined, results: Results): Results {
  if (before === undefined) return results;
  const names = new Set(results.sections.map(({ name }) => name));
  const isKept = (note: string) =>
    ![...names].some((name) => note.startsWith(`${name} gave no`)) &&
    note.replace(/: in a run .*/, "") !== [...names].join(", ");
  const { loadBefore } = results.machine;
  const again = `${[...names].join(", ")}: in a run of its own, load average ${loadBefore} before.`;
  return {
    ...before,
    sections: [...before.sections.filter(({ name }) => !names.has(name)), ...results.sections],
    notes: [...before.notes.filter(isKept), again],
  };
}
