// Owns which process group a process is in, and which one reads its terminal. Linux only, by /proc.

import { readFileSync } from "node:fs";

export interface ProcessGroups {
  readonly state: string;
  readonly own: number;
  /** Of its terminal; not positive where it has none. */
  readonly foreground: number;
}

/** Undefined where the process is gone or a zombie, and on systems without /proc. */
export function findGroups(pid: number): ProcessGroups | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold spaces and parentheses; fields count from behind the last.
    const [state, , own, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === undefined || state === "Z") return undefined;
    return { state, own: Number(own), foreground: Number(foreground) };
  } catch {
    return undefined;
  }
}
