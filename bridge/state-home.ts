// Owns where programs of this user keep their state, on Linux. The loader asks before anything else
// is loaded, so this imports nothing.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** A relative XDG_STATE_HOME is none: it would make a project's folder the user's. */
export function stateHome(): string {
  const named = process.env["XDG_STATE_HOME"] ?? "";
  return isAbsolute(named) ? named : join(homedir(), ".local", "state");
}
