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

/** Sections that were not measured this time stay as they are in the file. */
export function writeResults(file: string, results: Results, onlySome: boolean): void {
  const before = onlySome ? (readResults(file)?.sections ?? []) : [];
  const kept = before.filter(({ name }) => !results.sections.some((one) => one.name === name));
  const sections = [...kept, ...results.sections];
  writeFileSync(file, `${JSON.stringify({ ...results, sections }, null, 2)}\n`);
}
