// Finds the embedded relay of a workspace or starts one, on the folder's own port.

import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { parseValue } from "../../protocol/json.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import { findFullFolder } from "../resource-errors.ts";
import { ExitCode, errorMessage, UserError } from "../errors.ts";
import { Emitter } from "../emitter.ts";
import { connectLocal, readLines, writeLine } from "../local/local-socket.ts";
import { builtFile } from "../build-info.ts";
import { toLocalEnvironment, launch, waitForAnswer } from "../processes/launch.ts";
import { isRunning } from "../processes/process-record.ts";
import type { Log } from "../log.ts";
import { getLogFile } from "../logs/log-paths.ts";
import { findWorkerd, findWorkerdProblem } from "../workerd/binary.ts";
import { awaitPort, tryPort } from "../workerd/free-port.ts";
import { endRecordedProcesses, readRelayRecord } from "../workerd/relay-record.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { ExposeRequest, Exposure, RelayProcessOptions } from "./relay-messages.ts";
import { KEY_VARIABLE, RelayStatus } from "./relay-messages.ts";

const START_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 3_000;
const END_GRACE_MS = 2_000;
/** A killed workerd holds its port until its last thread is gone. */
const PORT_RELEASE_MS = 3_000;

export interface EmbeddedRelay {
  readonly port: number;
  /** Sets or clears the tunnel. Resolves when workerd has restarted with that. */
  expose(exposure: Exposure | undefined): Promise<void>;
  /** Ends the relay. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Leaves the relay running for the next bridge. */
  release(): void;
  /** Fires when the relay's process exits unexpectedly. Returns the unsubscriber. */
  onGone(listener: () => void): () => void;
}

export interface EmbeddedRelayOptions {
  /** The folder's port of last time. */
  readonly port: number | null;
  /** Set by flag: fails if the port is in use. */
  readonly fixed: boolean;
  readonly graceMs: number;
  /** Given when a tunnel leads to the relay, or soon will. */
  readonly exposure?: Exposure | undefined;
}

/** Returns the relay process's private folder, recreated at its start. */
export function getRelayFolder({ runtime }: WorkspaceFolders): string {
  return join(runtime, "tmp");
}

export async function openEmbeddedRelay(
  folders: WorkspaceFolders,
  options: EmbeddedRelayOptions,
  log: Log,
): Promise<EmbeddedRelay> {
  const socket = getSocketPath(folders);
  const running = await connectRelay(socket).catch(() => undefined);
  if (running !== undefined) {
    const wanted = !options.fixed || options.port === running.port;
    if (wanted && (await isHealthy(running.port))) {
      // Replaces the exposure that the previous bridge set.
      await running.expose(options.exposure);
      return running;
    }
    log.warn(
      `the relay on port ${running.port} does not answer or has the wrong port; replacing it`,
    );
    running.release();
  }
  const wasRecorded = await endRecordedRelay(folders);
  const binary = findWorkerd();
  const port = await choosePort(options, wasRecorded ? PORT_RELEASE_MS : 0, log);
  return await startRelayProcess(binary, port, folders, options);
}

async function startRelayProcess(
  binary: string,
  port: number,
  folders: WorkspaceFolders,
  { graceMs, exposure }: Pick<EmbeddedRelayOptions, "graceMs" | "exposure">,
): Promise<EmbeddedRelay> {
  const socket = getSocketPath(folders);
  const record = getRecordPath(folders);
  const log = getLogFile(folders.state, "relay");
  const options: RelayProcessOptions = {
    binary,
    socket,
    record,
    port,
    files: {
      worker: builtFile("..", "relay", "worker.js"),
      web: builtFile("..", "web"),
      data: join(folders.state, "rooms"),
    },
    temporary: getRelayFolder(folders),
    log,
    graceMs,
    ...(exposure === undefined ? {} : { tunnelHost: exposure.host }),
  };
  // Not an argument: other users can read those.
  const environment =
    exposure === undefined
      ? undefined
      : { ...toLocalEnvironment(process.env), [KEY_VARIABLE]: exposure.key };
  const program = builtFile("embedded-relay.js");
  const child = launch(program, [JSON.stringify(options)], log, environment);
  try {
    const relay = await waitForAnswer(() => connectRelay(socket), child, log, START_TIMEOUT_MS);
    // Registers the tunnel's process, too, if it already runs.
    if (exposure?.process !== undefined) await relay.expose(exposure);
    return relay;
  } catch (error) {
    const problem = findWorkerdProblem(binary);
    if (problem !== undefined) {
      throw new UserError(
        problem,
        ExitCode.unavailable,
        "You can use a relay elsewhere: --relay URL.",
      );
    }
    const diskError = findFullFolder([folders.runtime, folders.state]);
    if (diskError !== undefined) throw diskError;
    throw new UserError(
      `the embedded relay did not start: ${errorMessage(error)}`,
      ExitCode.unavailable,
      `Its log is ${log}. You can also use a relay elsewhere: --relay URL.`,
    );
  }
}

function getSocketPath({ runtime }: WorkspaceFolders): string {
  return join(runtime, "relay.sock");
}

function getRecordPath({ state }: WorkspaceFolders): string {
  return join(state, "relay.json");
}

/** Connects and waits for the relay's first line; the open connection keeps the relay alive. */
async function connectRelay(path: string): Promise<EmbeddedRelay> {
  const socket = await connectLocal(path);
  socket.on("error", () => socket.destroy());
  const statusEmitter = new Emitter<[RelayStatus]>();
  let last: RelayStatus | undefined;
  const status = await new Promise<RelayStatus>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("no answer")), ANSWER_TIMEOUT_MS);
    socket.once("close", () => reject(new Error("closed")));
    readLines(socket, (value) => {
      clearTimeout(timer);
      const parsed = parseValue(RelayStatus, value);
      if (!parsed.ok) return;
      last = parsed.value;
      resolve(parsed.value);
      statusEmitter.fire(parsed.value);
    });
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  const goneEmitter = new Emitter<[]>();
  let isExpected = false;
  let isGone = socket.destroyed;
  const relay: EmbeddedRelay = {
    port: status.port,
    expose: async (exposure) => {
      const host = exposure?.host ?? null;
      // There is nothing to clear, and an older relay would not answer.
      if (exposure === undefined && (last?.tunnelHost ?? null) === null) return;
      writeLine(socket, { expose: exposure ?? null } satisfies ExposeRequest);
      await waitForExposure(socket, statusEmitter, host);
    },
    stop: () => {
      isExpected = true;
      return stopRelay(socket);
    },
    release: () => {
      isExpected = true;
      socket.destroy();
    },
    onGone: (listener) => {
      // The relay may have died before the listener was added.
      if (isGone && !isExpected) queueMicrotask(listener);
      return goneEmitter.add(listener);
    },
  };
  socket.once("close", () => {
    isGone = true;
    if (!isExpected) goneEmitter.fire();
  });
  return relay;
}

/** Resolves when the relay reports that workerd restarted with this tunnel host. */
function waitForExposure(
  socket: Socket,
  statusEmitter: Emitter<[RelayStatus]>,
  host: string | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () =>
      settle(() => reject(new Error("the relay did not accept the tunnel's host name")));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    const end = statusEmitter.add(({ tunnelHost }) => {
      if (tunnelHost === host) settle(resolve);
    });
    socket.once("close", fail);
    function settle(done: () => void): void {
      clearTimeout(timer);
      end();
      socket.off("close", fail);
      done();
    }
  });
}

function stopRelay(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const timer = setTimeout(() => socket.destroy(), 2 * END_GRACE_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(`${JSON.stringify("stop")}\n`);
    return undefined;
  });
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    const url = `http://127.0.0.1:${port}${workspacePath("any", "/health")}`;
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Ends the recorded processes of a relay: a killed one leaves its workerd behind. Returns whether any
 * was recorded.
 */
export async function endRecordedRelay(folders: WorkspaceFolders): Promise<boolean> {
  const wasRecorded = await endRecordedProcesses(getRecordPath(folders));
  // A killed relay could not remove these.
  rmSync(getSocketPath(folders), { force: true });
  rmSync(getRelayFolder(folders), { recursive: true, force: true });
  return wasRecorded;
}

/** Whether a process of this folder's relay runs. */
export function hasRecordedRelay(folders: WorkspaceFolders): boolean {
  return readRelayRecord(getRecordPath(folders)).some(isRunning);
}

async function choosePort(
  { port, fixed }: EmbeddedRelayOptions,
  patienceMs: number,
  log: Log,
): Promise<number> {
  const got = await awaitPort(port ?? 0, patienceMs);
  if (got !== undefined) return got;
  if (fixed) {
    throw new UserError(
      `port ${port} is in use by another program`,
      ExitCode.unavailable,
      "Choose another with --port, or leave the flag out to get a free one.",
    );
  }
  log.warn(`port ${port} is in use by another program; older links to this folder do not work`);
  return (await tryPort(0)) ?? 0;
}
