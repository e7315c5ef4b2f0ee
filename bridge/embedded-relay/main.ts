// Runs the embedded relay's process: the Worker in workerd on loopback, restarted on the same port when
// workerd dies, stopped when no bridge was connected for a while. Its only argument is
// `RelayProcessOptions` as JSON.

import { mkdirSync, rmSync } from "node:fs";
import { parseValue } from "../../protocol/json.ts";
import { keepCompiled } from "../compiled/cache-signal.ts";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { errorMessage } from "../errors.ts";
import { LineServer } from "../local/local-socket.ts";
import { openJsonLog } from "../logs/json-log.ts";
import { endGroup } from "../processes/process-record.ts";
import type { ProcessRecord } from "../processes/process-record.ts";
import type { RelayKeeper } from "../workerd/relay-keeper.ts";
import { keepRelay, getLineLevel } from "../workerd/relay-keeper.ts";
import { writeRelayRecord } from "../workerd/relay-record.ts";
import { SWEEP_INTERVAL_MS, sweepRooms } from "../workerd/room-sweep.ts";
import { makeFolder } from "../workspace/private-file.ts";
import type { Exposure, RelayStatus } from "./relay-messages.ts";
import {
  ExposeRequest,
  KEY_VARIABLE,
  getLinkSocketPath,
  RelayProcessOptions,
} from "./relay-messages.ts";

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
const log = openJsonLog({ path: options.log, source: "relay", minLevel: "info" });
/** The current workerd; undefined before the first start. */
let workerd: ProcessRecord | undefined;
let stopping = false;
/** The tunnel to this relay, if any. */
let exposure: Exposure | undefined =
  options.tunnelHost === undefined
    ? undefined
    : { host: options.tunnelHost, key: process.env[KEY_VARIABLE] ?? "" };
/** Serialises changes of the bindings. */
let lastChange: Promise<void> = Promise.resolve();
let graceTimer: NodeJS.Timeout | undefined;

// Closing a terminal window signals its children; the relay stays for the next bridge.
process.on("SIGHUP", () => {});
process.on("SIGINT", () => {});
process.on("SIGTERM", () => void stop("SIGTERM"));

/** Connected bridges; they keep this relay alive. */
const holders = new LineServer({
  onConnect: (bridge) => {
    clearTimeout(graceTimer);
    if (workerd !== undefined) bridge.send(toStatus(workerd));
  },
  onValue: (_bridge, message) => {
    if (message === "stop") return void stop("requested by the bridge");
    const request = parseValue(ExposeRequest, message);
    if (request.ok) lastChange = lastChange.then(() => expose(request.value.expose ?? undefined));
    return undefined;
  },
  onDisconnect: () => {
    if (holders.clients.length > 0) return;
    // A killed bridge could not end its tunnel.
    if (exposure?.process !== undefined) void endGroup(exposure.process, END_GRACE_MS);
    waitForBridge();
  },
});

const relay: Promise<RelayKeeper> = keepRelay({
  binary: options.binary,
  worker: options.files.worker,
  ...getBindings(),
  temporary: options.temporary,
  onLine: (line) => log(getLineLevel(line), { message: line, part: "workerd" }),
  log: logInfo,
  onUp: (started) => {
    workerd = started;
    writeRelayRecord(options.record, options.port, started);
    sendStatus(started);
    logInfo(`relay on port ${options.port}, workerd ${started.pid}`);
  },
}).catch((error: unknown) => {
  log("error", { message: `workerd did not start: ${errorMessage(error)}` });
  process.exit(1);
});
void relay.then(onRelayUp);
// Only strangers from a tunnel can create unclaimed rooms.
const sweepTimer = setInterval(() => exposure !== undefined && sweep(), SWEEP_INTERVAL_MS);

function onRelayUp(): void {
  holders.open(options.socket);
  waitForBridge();
  keepCompiled();
}

/** Returns the bindings, which workerd reads only at its start. */
function getBindings() {
  const tunnelHost = exposure?.host;
  return {
    plan: {
      host: "127.0.0.1",
      port: options.port,
      web: options.files.web,
      data: options.files.data,
      loopback: true,
      tunnelHost,
      linkSocket: getLinkSocketPath(options.temporary),
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
    logInfo(
      wanted === undefined ? "the tunnel is gone" : `a tunnel leads here: ${wanted.host || "?"}`,
    );
    await (await relay).change(getBindings());
  }
  if (workerd !== undefined) sendStatus(workerd);
}

function sweep(): void {
  try {
    const swept = sweepRooms(options.files.data, true);
    if (swept > 0) logInfo(`removed ${swept} unclaimed rooms`);
  } catch (error) {
    log("warn", { message: `rooms were not swept: ${errorMessage(error)}` });
  }
}

function sendStatus(started: ProcessRecord): void {
  for (const bridge of holders.clients) bridge.send(toStatus(started));
}

function waitForBridge(): void {
  clearTimeout(graceTimer);
  graceTimer = setTimeout(() => void stop("no bridge connected"), options.graceMs);
}

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  logInfo(`stopping: ${reason}`);
  clearTimeout(graceTimer);
  clearInterval(sweepTimer);
  await (await relay).stop(STOP_GRACE_MS);
  rmSync(options.socket, { force: true });
  rmSync(options.record, { force: true });
  rmSync(options.temporary, { recursive: true, force: true });
  process.exit(0);
}

function toStatus(child: ProcessRecord): RelayStatus {
  const tunnelHost = exposure?.host ?? null;
  return { event: "ready", port: options.port, pid: process.pid, workerd: child.pid, tunnelHost };
}

function logInfo(message: string): void {
  log("info", { message });
}
