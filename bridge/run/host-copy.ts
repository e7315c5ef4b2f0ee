// Owns whether the pty host has stored what this bridge gave it: this run's grants and the terminals'
// metadata. The next bridge reads them after a crash.

import type { TerminalPool } from "../terminals/pool.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Saving, Unsaved } from "../workspace/durable-file.ts";

/** Pings the host now. It handles messages in order, so its answer confirms all earlier ones. */
export function hostCopy(pool: Pick<TerminalPool, "ping">): Saving {
  const why = "the pty host does not answer";
  let unsaved: Unsaved | undefined = { what: "grants of this run", why, since: Date.now() };
  const ask = async (): Promise<void> => {
    // If the host is gone, its copy cannot come back either.
    await unlessUnavailable(pool.ping(), () => undefined);
    unsaved = undefined;
  };
  const done = ask();
  return {
    get unsaved() {
      return unsaved;
    },
    saved: () => done,
  };
}
