// Owns how long processes have been on a processor, from /proc. Steps of 10 ms.

import { readFileSync } from "node:fs";

/** USER_HZ is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** By the names given; user and system time of all threads. */
export function processorTime(processes: Readonly<Record<string, number>>): Record<string, number> {
  return mapValues(processes, (pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold spaces; fields count from behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  });
}

export function spent(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return mapValues(after, (value, name) => value - (before[name] ?? 0));
}

function mapValues(
  record: Readonly<Record<string, number>>,
  map: (value: number, name: string) => number,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, map(value, name)]),
  );
}
