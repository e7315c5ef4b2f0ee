// Owns which process group a process is in, and which one reads its terminal. Linux only, by /proc.

import { readFileSync } from "node:fs";

export interface ProcessGroups {
  readonly state: string;
  readonly own: number;
  /** Foreground process group of its terminal; zero or negative if it has no terminal. */
  readonly foreground: number;
}

/** Returns the groups; undefined if the process is gone or a zombie, and on systems without /proc. */
export function findGroups(pid: number): ProcessGroups | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may contain spaces and parentheses; fields are counted from the last
    // one on.
    const [state, , own, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === undefined || state === "Z") return undefined;
    return { state, own: Number(own), foreground: Number(foreground) };
  } catch {
    return undefined;
  }
}
