// Owns closing descriptors that our parent process left open: those of a build's job server, or of an
// editor. The kernel closes Node's own descriptors in each child; these would reach every command that
// an agent runs, even in a sandbox. Linux only, by /proc.

import { closeSync, readdirSync, readFileSync } from "node:fs";
import { findSystemCode } from "../errors.ts";

const CLOSED_ON_EXEC = 0o2000000;
const STDERR = 2;

/** Closes inherited descriptors; returns them. Must run before this process opens any without close-on-exec. */
export function closeInheritedDescriptors(): number[] {
  if (process.platform !== "linux") return [];
  const inherited = readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > STDERR && isInherited(fd));
  for (const fd of inherited) closeSync(fd);
  return inherited;
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0;
  } catch (error) {
    // The descriptor by which the list was read.
    if (findSystemCode(error) === "ENOENT") return false;
    throw error;
  }
}
