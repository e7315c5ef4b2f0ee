// Owns whether this process may touch its terminal: one in the background that changes its modes or
// reads from it is stopped by the kernel.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export function isForeground(): boolean {
  const [group, foreground] = process.platform === "linux" ? fromProc() : fromPs();
  return group !== undefined && group === foreground;
}

/** Behind the name, which may hold anything: state, parent, group, session, tty, its foreground group. */
function fromProc(): (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}

function fromPs(): (string | undefined)[] {
  try {
    const asked = ["-o", "pgid=,tpgid=", "-p", String(process.pid)];
    return execFileSync("ps", asked, { encoding: "utf8" }).trim().split(/\s+/);
  } catch {
    return [];
  }
}
