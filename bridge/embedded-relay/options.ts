// Owns how the Worker is run in Miniflare: the same Worker and flags as wrangler.toml, with the
// page as a folder.

import type { MiniflareOptions } from "miniflare";
import type { RelayProcessOptions } from "./control.ts";

/** On loopback, for this machine alone. */
export function embeddedOptions(
  files: RelayProcessOptions["files"],
  port: number,
): MiniflareOptions {
  return {
    name: "pairpty-relay",
    modules: true,
    scriptPath: files.worker,
    compatibilityDate: "2026-04-26",
    compatibilityFlags: ["enable_request_signal"],
    host: "127.0.0.1",
    port,
    // Else Miniflare asks the network for a sample of Cloudflare's request metadata at every start.
    cf: false,
    bindings: { LOOPBACK_PORT: String(port) },
    durableObjects: { WORKSPACE: { className: "WorkspaceRoom", useSQLite: true } },
    durableObjectsPersist: files.data,
    // As a plain folder: Miniflare's assets put another Worker in front of ours, for every request.
    serviceBindings: { FILES: { disk: { path: files.web, writable: false } } },
  };
}
