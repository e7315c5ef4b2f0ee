// Owns the process of the bare chain's relay: the least Durable Object in Miniflare. A process of
// its own as the product's is, and because Miniflare ends whoever it is in at the first signal.

import { join } from "node:path";
import { Miniflare } from "miniflare";
import { childrenOf } from "../bridge/processes.ts";

/** To the parent, once it can be dialled. */
export interface BareAddress {
  /** Ends with a slash; `host` and `viewer` go behind it. */
  readonly url: string;
  readonly workerd: number;
}

const WORKER = join(import.meta.dirname, "..", "bench-worker", "bare-worker.js");

export async function runBareRelay(): Promise<void> {
  const relay = new Miniflare({
    modules: true,
    scriptPath: WORKER,
    compatibilityDate: "2026-04-26",
    host: "127.0.0.1",
    durableObjects: { ROOM: { className: "BareRoom", useSQLite: true } },
  });
  process.on("disconnect", () => void relay.dispose().finally(() => process.exit(0)));
  const url = (await relay.ready).href.replace(/^http/, "ws");
  const [workerd = 0] = childrenOf(process.pid);
  process.send?.({ url, workerd } satisfies BareAddress);
}
