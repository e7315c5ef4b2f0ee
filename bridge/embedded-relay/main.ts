// Owns the embedded relay's process: the real Worker in Miniflare on loopback, started again on the
// same port when workerd dies, and ended when no bridge has held it for a while.
// Its one argument is `RelayProcessOptions` as JSON.

import { chmodSync, mkdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import type { Miniflare } from "miniflare";
import { messageOf } from "../errors.ts";
import { readLines, writeLine } from "../json-lines.ts";
import type { ProcessRecord } from "../processes.ts";
import { childrenOf, isRunning, recordProcess } from "../processes.ts";
import { writePrivateFile } from "../workspace/private-file.ts";
import type { RelayRecord, RelayStatus } from "./control.ts";
import { RelayProcessOptions } from "./control.ts";
import { embeddedOptions } from "./options.ts";
import { closeSideDoor } from "./side-door.ts";

/** Miniflare does not tell when its workerd dies, so its process is looked at. */
const LOOK_EVERY_MS = 100;

// Rooms hold hashes and keys: what workerd writes is for this user alone.
process.umask(0o077);
const options = RelayProcessOptions.parse(JSON.parse(process.argv[2] ?? "{}"));
// Miniflare leaves folders behind in the temporary one; in this one they end with the relay.
rmSync(options.temporary, { recursive: true, force: true });
mkdirSync(options.temporary, { mode: 0o700 });
process.env["TMPDIR"] = options.temporary;
closeSideDoor();
const miniflare = await import("miniflare");
const holders = new Set<Socket>();
let relay: Miniflare | undefined;
/** As it was when it started; undefined until then. */
let workerd: ProcessRecord | undefined;
let stopping = false;
let grace: NodeJS.Timeout | undefined;

// A terminal that is closed takes its own children along; this one stays for the next bridge.
process.on("SIGHUP", () => {});
process.on("SIGINT", () => {});
process.on("SIGTERM", () => void stop("SIGTERM"));

const server = createServer((socket) => {
  holders.add(socket);
  clearTimeout(grace);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    holders.delete(socket);
    if (holders.size === 0) waitForBridge();
  });
  readLines(socket, (message) => {
    if (message === "stop") void stop("asked by the bridge");
  });
  if (workerd !== undefined) writeLine(socket, status(workerd));
});

await startRelay();
rmSync(options.socket, { force: true });
server.listen(options.socket, () => chmodSync(options.socket, 0o600));
waitForBridge();
const watch = setInterval(() => void look(), LOOK_EVERY_MS);

async function startRelay(): Promise<void> {
  const before = new Set(childrenOf(process.pid));
  relay = new miniflare.Miniflare(embeddedOptions(options.files, options.port));
  await relay.ready;
  const child = childrenOf(process.pid).find((pid) => !before.has(pid));
  if (child === undefined) throw new Error("Miniflare is ready, but no workerd was started");
  workerd = recordProcess(child);
  const processes = [recordProcess(process.pid), workerd];
  const record: RelayRecord = { port: options.port, processes };
  writePrivateFile(options.record, `${JSON.stringify(record)}\n`);
  for (const socket of holders) writeLine(socket, status(workerd));
  say(`relay on port ${options.port}, workerd ${child}`);
}

let restarting = false;
async function look(): Promise<void> {
  if (restarting || stopping || workerd === undefined || isRunning(workerd)) return;
  restarting = true;
  say(`workerd ${workerd.pid} died; starting it again`);
  const dead = relay;
  void dead?.dispose().catch(() => {});
  await startRelay().catch((error: unknown) => {
    say(`workerd did not start again: ${messageOf(error)}`);
    process.exit(1);
  });
  restarting = false;
}

function waitForBridge(): void {
  clearTimeout(grace);
  grace = setTimeout(() => void stop("no bridge came"), options.graceMs);
}

async function stop(reason: string): Promise<void> {
  if (stopping) return;
  stopping = true;
  say(`stopping: ${reason}`);
  clearInterval(watch);
  clearTimeout(grace);
  await relay?.dispose().catch(() => {});
  rmSync(options.socket, { force: true });
  rmSync(options.record, { force: true });
  rmSync(options.temporary, { recursive: true, force: true });
  process.exit(0);
}

function status(child: ProcessRecord): RelayStatus {
  return { event: "ready", port: options.port, pid: process.pid, workerd: child.pid };
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
}
