// Owns whether the pty host has what this bridge gave it to keep: the grants of this run, and the marks
// of its terminals. The next bridge reads them there after a crash of this one.

import type { TerminalPool } from "../terminals/pool.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Saving, Unsaved } from "../workspace/durable-file.ts";

/** Asks now. The host takes what it is sent in order, so its answer means that it has everything before. */
export function hostCopy(pool: Pick<TerminalPool, "ping">): Saving {
  const why = "the pty host does not answer";
  let unsaved: Unsaved | undefined = { what: "grants of this run", why, since: Date.now() };
  const ask = async (): Promise<void> => {
    // A host that is gone keeps nothing that could come back.
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
