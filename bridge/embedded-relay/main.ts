// Owns the embedded relay's process: the real Worker in workerd on loopback, started again on the
// same port when workerd dies, and ended when no bridge has held it for a while.
// Its one argument is `RelayProcessOptions` as JSON.

import { mkdirSync, rmSync } from "node:fs";
import { messageOf } from "../errors.ts";
import { LineServer } from "../local/json-lines.ts";
import { jsonLog } from "../logs/json-log.ts";
import type { ProcessRecord } from "../processes/record.ts";
import { keepRelay } from "../workerd/keep.ts";
import { lineLevel } from "../workerd/line-level.ts";
import { writeRecord } from "../workerd/record.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import type { RelayStatus } from "./control.ts";
import { linkSocket, RelayProcessOptions } from "./control.ts";

/** Nothing under way here is worth a wait: whoever asks it to stop is leaving too. */
const STOP_GRACE_MS = 0;

// Rooms hold hashes and keys: what workerd writes is for this user alone.
process.umask(0o077);
const options = RelayProcessOptions.parse(JSON.parse(process.argv[2] ?? "{}"));
rmSync(options.temporary, { recursive: true, force: true });
mkdirSync(options.temporary, { mode: 0o700 });
makeFolder(options.files.data);
const log = jsonLog({ path: options.log, source: "relay", least: "info" });
/** As it was when it started; undefined until then. */
let workerd: ProcessRecord | undefined;
let stopping = false;
let grace: NodeJS.Timeout | undefined;

// A terminal that is closed takes its own children along; this one stays for the next bridge.
process.on("SIGHUP", () => {});
process.on("SIGINT", () => {});
process.on("SIGTERM", () => void stop("SIGTERM"));

/** Bridges that hold this relay. */
const holders = new LineServer({
  came: (bridge) => {
    clearTimeout(grace);
    if (workerd !== undefined) bridge.tell(status(workerd));
  },
  value: (_bridge, message) => {
    if (message === "stop") void stop("asked by the bridge");
  },
  left: () => {
    if (holders.callers.length === 0) waitForBridge();
  },
});

const relay = await keepRelay({
  binary: options.binary,
  worker: options.files.worker,
  plan: {
    host: "127.0.0.1",
    port: options.port,
    web: options.files.web,
    data: options.files.data,
    loopback: true,
    linkSocket: linkSocket(options.temporary),
    allowedOrigins: [],
  },
  temporary: options.temporary,
  relayKey: undefined,
  onLine: (line) => log(lineLevel(line), { message: line, part: "workerd" }),
  say,
  onUp: (started) => {
    workerd = started;
    writeRecord(options.record, options.port, started);
    for (const bridge of holders.callers) bridge.tell(status(started));
    say(`relay on port ${options.port}, workerd ${started.pid}`);
  },
}).catch((error: unknown) => {
  log("error", { message: `workerd did not start: ${messageOf(error)}` });
  process.exit(1);
});
holders.open(options.socket);
waitForBridge();

function waitForBridge(): void {
  clearTimeout(grace);
  grace = setTimeout(() => void stop("no bridge came"), options.graceMs);
}

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  say(`stopping: ${reason}`);
  clearTimeout(grace);
  await relay.stop(STOP_GRACE_MS);
  rmSync(options.socket, { force: true });
  rmSync(options.record, { force: true });
  rmSync(options.temporary, { recursive: true, force: true });
  process.exit(0);
}

function status(child: ProcessRecord): RelayStatus {
  return { event: "ready", port: options.port, pid: process.pid, workerd: child.pid };
}

function say(message: string): void {
  log("info", { message });
}
