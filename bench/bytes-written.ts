// Owns how many bytes a process has written, to whatever it is, from /proc.

import { readFileSync } from "node:fs";

/** 0 for a process that nobody asked about. */
export function bytesWritten(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1]);
}
