// Owns what the soak measures of a process, and what counts as flat. Judging is pure.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Figures {
  readonly descriptors: number;
  readonly sockets: number;
  readonly residentKiB: number;
}

export interface Sample {
  /** Ms since the soak began. */
  readonly at: number;
  readonly phase: string;
  /** All of the place's. */
  readonly processes: number;
  readonly parts: Readonly<Record<string, Figures>>;
}

/** What a process has between two looks for good reasons: a request under way, a log being opened. */
const SPARE_DESCRIPTORS = 6;
/** Heaps breathe by about this, whatever is done. */
const BREATH_KIB = 24 * 1024;
/** Half again what it was when it was warm. */
const MAX_GROWTH = 1.5;

export function readFigures(pid: number): Figures {
  const names = readdirSync(`/proc/${pid}/fd`);
  const sockets = names.filter((name) => readLink(`/proc/${pid}/fd/${name}`).startsWith("socket:"));
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    descriptors: names.length,
    sockets: sockets.length,
    residentKiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
  };
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

/** Why it is not flat; empty if it is. `start` is taken warm, both when all is quiet. */
export function unflat(start: Sample, end: Sample): string[] {
  const problems: string[] = [];
  if (end.processes > start.processes) {
    problems.push(`processes: ${start.processes} → ${end.processes}`);
  }
  for (const [name, before] of Object.entries(start.parts)) {
    const after = end.parts[name];
    if (after === undefined) {
      problems.push(`${name} is gone`);
      continue;
    }
    if (after.descriptors > before.descriptors + SPARE_DESCRIPTORS) {
      problems.push(`${name}: descriptors ${before.descriptors} → ${after.descriptors}`);
    }
    if (after.residentKiB > before.residentKiB * MAX_GROWTH + BREATH_KIB) {
      problems.push(`${name}: memory ${mib(before.residentKiB)} → ${mib(after.residentKiB)} MiB`);
    }
  }
  return problems;
}

/** Least squares over the samples, in KiB a minute. */
export function getSlope(samples: readonly Sample[], part: string): number {
  const points = samples.flatMap(({ at, parts }) =>
    parts[part] === undefined ? [] : [{ x: at / 60_000, y: parts[part].residentKiB }],
  );
  if (points.length < 2) return 0;
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))];
  const across = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const along = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  return across === 0 ? 0 : along / across;
}

export const CRITERION = `flat: at the end, quiet, each process has at most ${SPARE_DESCRIPTORS} descriptors more than when it was warm, at most ${MAX_GROWTH} times its memory plus ${mib(BREATH_KIB)} MiB, and there is no process more`;

export function mib(kib: number): string {
  return (kib / 1024).toFixed(0);
}
