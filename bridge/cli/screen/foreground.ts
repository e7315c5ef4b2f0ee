// Detects whether this process is in its terminal's foreground: the kernel stops a background process
// that reads it or changes its modes.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export function isForeground(): boolean {
  const [group, foreground] = process.platform === "linux" ? fromProc() : fromPs();
  return group !== undefined && group === foreground;
}

/**
 * Reads the fields after the name, which may contain anything: state, parent, group, session, tty,
 * foreground group.
 */
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
