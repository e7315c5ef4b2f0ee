// Owns where this user's programs keep their state on Linux. The loader needs it before anything
// else is loaded, so this file imports nothing of pairpty's.

import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Returns an absolute path, never one relative to a folder that came from elsewhere. Throws for a
 * user without HOME whom the system does not know.
 */
export function stateHome(): string {
  const named = process.env["XDG_STATE_HOME"] ?? "";
  return isAbsolute(named) ? named : join(getHome(), ".local", "state");
}

/** Returns HOME, or the system's entry for this user if HOME is empty or relative. */
export function getHome(): string {
  const named = homedir();
  return isAbsolute(named) ? named : userInfo().homedir;
}
