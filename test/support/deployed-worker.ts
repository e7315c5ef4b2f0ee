// Owns the Worker as wrangler builds it, run by Miniflare with the settings of wrangler.toml, for the
// relay's tests. PAIRPTY_TEST_WORKER names the folder that scripts/test-deployed.mjs made.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { WorkerOptions } from "miniflare";
import type { WorkerdOptions } from "../../bridge/workerd/workerd-process.ts";
import { PROBE_WORKER } from "./relay-probe.ts";

/** Undefined: the tests run dist/relay in workerd, as the product does. */
export const DEPLOYED = process.env["PAIRPTY_TEST_WORKER"];

export interface RunningWorker {
  end(graceMs: number): Promise<void>;
}

/** Resolves when the Worker takes connections. The probe stands around it, as around the other one. */
export async function startDeployed(
  folder: string,
  { plan, relayKey, onLine }: WorkerdOptions,
): Promise<RunningWorker> {
  const { Miniflare } = await import("miniflare");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- wrangler wrote it for Miniflare
  const settings = JSON.parse(readFileSync(join(folder, "options.json"), "utf8")) as WorkerOptions;
  const bindings = {
    ...(relayKey !== undefined && { RELAY_KEY: relayKey }),
    ...(plan.loopback
      ? { LOOPBACK_PORT: String(plan.port) }
      : { ALLOWED_ORIGINS: plan.allowedOrigins.join(",") }),
    ...(plan.tunnelHost !== undefined && { TUNNEL_HOST: plan.tunnelHost }),
  };
  const miniflare = new Miniflare({
    ...settings,
    modules: [
      { type: "ESModule", path: "probe.js", contents: PROBE_WORKER },
      { type: "ESModule", path: "worker.js", contents: readFileSync(join(folder, "worker.js")) },
    ],
    bindings,
    ...(settings.assets && { assets: { ...settings.assets, directory: plan.web } }),
    durableObjectsPersist: plan.data,
    // Miniflare's own way in adds headers; Cloudflare's does not.
    unsafeDirectSockets: [{ host: plan.host, port: plan.port }],
    handleRuntimeStdio: (...streams: Readable[]) => {
      for (const input of streams) createInterface({ input }).on("line", onLine);
    },
  });
  await miniflare.ready;
  return { end: () => miniflare.dispose() };
}
