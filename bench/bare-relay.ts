// Owns the bare chain's relay: the least Durable Object in a workerd of its own, run as the product's.

import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import type { ProcessRecord } from "../bridge/processes/process-record.ts";
import { recordProcess } from "../bridge/processes/process-record.ts";
import { findWorkerd } from "../bridge/workerd/binary.ts";

export interface BareRelay {
  /** Ends with a slash; `host` and `viewer` go behind it. */
  readonly url: string;
  readonly workerd: ProcessRecord;
}

const WORKER = join(import.meta.dirname, "..", "bench-worker", "bare-worker.js");
/** workerd tells on this descriptor when it listens, and where. */
const CONTROL = 3;

/** In a new folder within this one. */
export async function startBareRelay(parent: string): Promise<BareRelay> {
  const folder = mkdtempSync(join(parent, "bare-"));
  const rooms = join(folder, "rooms");
  mkdirSync(rooms);
  copyFileSync(WORKER, join(folder, "worker.js"));
  writeFileSync(join(folder, "bare.capnp"), formatConfig(rooms));
  const args = ["serve", join(folder, "bare.capnp"), `--control-fd=${CONTROL}`];
  const child = spawn(findWorkerd(), args, { env: {}, stdio: ["ignore", 2, 2, "pipe"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the bare relay ended with ${code}`)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a pipe, as asked for above
    createInterface({ input: child.stdio[CONTROL] as Readable }).on("line", (line) => {
      const message: { event: string; port?: number } = JSON.parse(line);
      if (message.event === "listen" && message.port !== undefined) resolve(message.port);
    });
  });
  return { url: `ws://127.0.0.1:${port}/`, workerd: recordProcess(child.pid ?? 0) };
}

function formatConfig(rooms: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "bare", worker = .bare),
    (name = "rooms", disk = (path = ${JSON.stringify(rooms)}, writable = true)),
    (name = "internet", network = (allow = [])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "bare")],
);
const bare :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-04-26",
  bindings = [(name = "ROOM", durableObjectNamespace = "BareRoom")],
  durableObjectNamespaces = [(className = "BareRoom", uniqueKey = "bare", enableSql = true)],
  durableObjectStorage = (localDisk = "rooms"),
);
`;
}
