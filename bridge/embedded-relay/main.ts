// Runs the embedded relay's process: the Worker in workerd on loopback, restarted on the same port when
// workerd dies, stopped when no bridge was connected for a while. Its only argument is
// `RelayProcessOptions` as JSON.

import { mkdirSync, rmSync } from "node:fs";
import { parseValue } from "../../protocol/json.ts";
import { keepCompiled } from "../compiled/keep.ts";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { messageOf } from "../errors.ts";
import { LineServer } from "../local/json-lines.ts";
import { jsonLog } from "../logs/json-log.ts";
import { endGroup } from "../processes/group.ts";
import type { ProcessRecord } from "../processes/record.ts";
import type { KeptRelay } from "../workerd/keep.ts";
import { keepRelay } from "../workerd/keep.ts";
import { lineLevel } from "../workerd/line-level.ts";
import { writeRecord } from "../workerd/record.ts";
import { SWEEP_EVERY_MS, sweepRooms } from "../workerd/sweep.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import type { Exposure, RelayStatus } from "./control.ts";
import { Expose, KEY_VARIABLE, linkSocket, RelayProcessOptions } from "./control.ts";

/** No grace: the bridge that requests the stop is exiting too. */
const STOP_GRACE_MS = 0;
/** For a tunnel whose bridge is gone. */
const END_GRACE_MS = 2_000;

// Rooms hold hashes and keys: only this user may read what workerd writes.
process.umask(0o077);
ignoreDebugSignal();
const options = RelayProcessOptions.parse(JSON.parse(process.argv[2] ?? "{}"));
rmSync(options.temporary, { recursive: true, force: true });
mkdirSync(options.temporary, { mode: 0o700 });
makeFolder(options.files.data);
const log = jsonLog({ path: options.log, source: "relay", least: "info" });
/** The current workerd; undefined before the first start. */
let workerd: ProcessRecord | undefined;
let stopping = false;
/** The tunnel to this relay, if any. */
let exposure: Exposure | undefined =
  options.tunnelHost === undefined
    ? undefined
    : { host: options.tunnelHost, key: process.env[KEY_VARIABLE] ?? "" };
/** Serialises changes of the bindings. */
let changing: Promise<void> = Promise.resolve();
let grace: NodeJS.Timeout | undefined;

// Closing a terminal window signals its children; the relay stays for the next bridge.
process.on("SIGHUP", () => {});
process.on("SIGINT", () => {});
process.on("SIGTERM", () => void stop("SIGTERM"));

/** Connected bridges; they keep this relay alive. */
const holders = new LineServer({
  came: (bridge) => {
    clearTimeout(grace);
    if (workerd !== undefined) bridge.tell(status(workerd));
  },
  value: (_bridge, message) => {
    if (message === "stop") return void stop("requested by the bridge");
    const asked = parseValue(Expose, message);
    if (asked.ok) changing = changing.then(() => expose(asked.value.expose ?? undefined));
    return undefined;
  },
  left: () => {
    if (holders.callers.length > 0) return;
    // A killed bridge could not end its tunnel.
    if (exposure?.process !== undefined) void endGroup(exposure.process, END_GRACE_MS);
    waitForBridge();
  },
});

const relay: Promise<KeptRelay> = keepRelay({
  binary: options.binary,
  worker: options.files.worker,
  ...bindings(),
  temporary: options.temporary,
  onLine: (line) => log(lineLevel(line), { message: line, part: "workerd" }),
  say,
  onUp: (started) => {
    workerd = started;
    writeRecord(options.record, options.port, started);
    tellStatus(started);
    say(`relay on port ${options.port}, workerd ${started.pid}`);
  },
}).catch((error: unknown) => {
  log("error", { message: `workerd did not start: ${messageOf(error)}` });
  process.exit(1);
});
void relay.then(opened);
// Only strangers from a tunnel can create unclaimed rooms.
const sweeping = setInterval(() => exposure !== undefined && sweep(), SWEEP_EVERY_MS);

function opened(): void {
  holders.open(options.socket);
  waitForBridge();
  keepCompiled();
}

/** Returns the bindings, which workerd reads only at its start. */
function bindings() {
  const tunnelHost = exposure?.host;
  return {
    plan: {
      host: "127.0.0.1",
      port: options.port,
      web: options.files.web,
      data: options.files.data,
      loopback: true,
      tunnelHost,
      linkSocket: linkSocket(options.temporary),
      allowedOrigins: [],
    },
    relayKey: exposure?.key,
  };
}

async function expose(wanted: Exposure | undefined): Promise<void> {
  const isSame = wanted?.host === exposure?.host && wanted?.key === exposure?.key;
  exposure = wanted;
  if (stopping) return;
  if (!isSame) {
    say(wanted === undefined ? "the tunnel is gone" : `a tunnel leads here: ${wanted.host || "?"}`);
    await (await relay).change(bindings());
  }
  if (workerd !== undefined) tellStatus(workerd);
}

function sweep(): void {
  try {
    const swept = sweepRooms(options.files.data, true);
    if (swept > 0) say(`removed ${swept} unclaimed rooms`);
  } catch (error) {
    log("warn", { message: `rooms were not swept: ${messageOf(error)}` });
  }
}

function tellStatus(started: ProcessRecord): void {
  for (const bridge of holders.callers) bridge.tell(status(started));
}

function waitForBridge(): void {
  clearTimeout(grace);
  grace = setTimeout(() => void stop("no bridge connected"), options.graceMs);
}

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  say(`stopping: ${reason}`);
  clearTimeout(grace);
  clearInterval(sweeping);
  await (await relay).stop(STOP_GRACE_MS);
  rmSync(options.socket, { force: true });
  rmSync(options.record, { force: true });
  rmSync(options.temporary, { recursive: true, force: true });
  process.exit(0);
}

function status(child: ProcessRecord): RelayStatus {
  const tunnelHost = exposure?.host ?? null;
  return { event: "ready", port: options.port, pid: process.pid, workerd: child.pid, tunnelHost };
}

function say(message: string): void {
  log("info", { message });
}
