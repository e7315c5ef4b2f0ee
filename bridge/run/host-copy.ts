// Owns whether the pty host has stored what this bridge gave it: this run's grants and the terminals'
// metadata. The next bridge reads them after a crash.

import type { TerminalPool } from "../terminals/pool.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Saveable, UnsavedChange } from "../workspace/durable-file.ts";

/** Pings the host now. It handles messages in order, so its answer confirms all earlier ones. */
export function confirmHostCopy(pool: Pick<TerminalPool, "ping">): Saveable {
  const why = "the pty host does not answer";
  let unsaved: UnsavedChange | undefined = { what: "grants of this run", why, since: Date.now() };
  const confirm = async (): Promise<void> => {
    // If the host is gone, its copy cannot come back either.
    await unlessUnavailable(pool.ping(), () => undefined);
    unsaved = undefined;
  };
  const done = confirm();
  return {
    get unsaved() {
      return unsaved;
    },
    saved: () => done,
  };
}
