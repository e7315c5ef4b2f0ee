// Owns where programs of this user keep their state, on Linux. The loader asks before anything else
// is loaded, so this imports nothing of ours.

import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Never relative: a folder that somebody was given could then bring state along, and code that runs.
 * Throws where a user whom the system does not know has no HOME.
 */
export function stateHome(): string {
  const named = process.env["XDG_STATE_HOME"] ?? "";
  return isAbsolute(named) ? named : join(home(), ".local", "state");
}

/** The system's own word where HOME is empty or relative. */
export function home(): string {
  const named = homedir();
  return isAbsolute(named) ? named : userInfo().homedir;
}
