// Detects whether this process is in its terminal's foreground: the kernel stops a background process
// that reads it or changes its modes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export function isForeground(): boolean {
  const [group, foreground] =
    process.platform === "linux" ? readGroupsFromProc() : readGroupsFromPs();
  return group !== undefined && group === foreground;
}

/**
 * Reads the fields after the name, which may contain anything: state, parent, group, session, tty,
 * foreground group.
 */
function readGroupsFromProc(): (string | undefined)[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return [fields[2], fields[5]];
}

function readGroupsFromPs(): (string | undefined)[] {
  try {
    const args = ["-o", "pgid=,tpgid=", "-p", String(process.pid)];
    return execFileSync("ps", args, { encoding: "utf8" }).trim().split(/\s+/);
  } catch {
    return [];
  }
}
