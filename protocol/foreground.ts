// Owns how the program is named that reads what a person types after stepping in, for page and
// window alike. Pure.

import type { PtyForeground } from "./pty.ts";

export type Reader = Pick<PtyForeground, "program"> & Partial<Pick<PtyForeground, "command">>;

/** Programs whose password or key stays in force after a person typed it. */
const UNLOCKS: ReadonlySet<string> = new Set(["sudo", "doas", "su", "pkexec", "ssh", "gpg"]);

/** Returns the program's path; where only another user may know that, what it was called as. */
export function formatReader({ program, command = [] }: Reader): string {
  if (program !== null) return program;
  const [called = ""] = command;
  return called === "" ? "an unknown program" : `another user’s program, ${toName(called)}`;
}

/** Returns what stays unlocked for the agent: the program by name, or logins in general. */
export function formatUnlocked({ program, command = [] }: Reader): string {
  const name = toName(program ?? command[0] ?? "");
  return UNLOCKS.has(name) ? `${name} stays open` : "logins stay open";
}

function toName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
