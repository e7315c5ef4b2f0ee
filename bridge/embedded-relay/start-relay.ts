// Finds the embedded relay of a workspace or starts one, on the folder's own port.

import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { parseValue } from "../../protocol/json.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import { fullFolder } from "../disk.ts";
import { ExitCode, messageOf, UserError } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import { connectLocal, readLines, writeLine } from "../local/json-lines.ts";
import { builtFile } from "../built-file.ts";
import { forLocal, launch, waitFor } from "../processes/launch.ts";
import { isRunning } from "../processes/record.ts";
import type { Log } from "../log.ts";
import { logFile } from "../logs/places.ts";
import { findWorkerd, workerdProblem } from "../workerd/binary.ts";
import { awaitPort, tryPort } from "../workerd/free-port.ts";
import { endRecorded, readRecord } from "../workerd/record.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { Expose, Exposure, RelayProcessOptions } from "./control.ts";
import { KEY_VARIABLE, RelayStatus } from "./control.ts";

const START_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 3_000;
const END_GRACE_MS = 2_000;
/** A killed workerd holds its port until its last thread is gone. */
const LET_GO_MS = 3_000;

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

export interface RelayWish {
  /** The folder's port of last time. */
  readonly port: number | null;
  /** Set by flag: fails if the port is in use. */
  readonly fixed: boolean;
  readonly graceMs: number;
  /** Given when a tunnel leads to the relay, or soon will. */
  readonly exposure?: Exposure | undefined;
}

/** Returns the relay process's private folder, recreated at its start. */
export function relayFolder({ runtime }: WorkspaceFolders): string {
  return join(runtime, "tmp");
}

export async function openRelay(
  folders: WorkspaceFolders,
  wish: RelayWish,
  log: Log,
): Promise<EmbeddedRelay> {
  const socket = socketPath(folders);
  const living = await hold(socket).catch(() => undefined);
  if (living !== undefined) {
    const wanted = !wish.fixed || wish.port === living.port;
    if (wanted && (await answers(living.port))) {
      // Replaces the exposure that the previous bridge set.
      await living.expose(wish.exposure);
      return living;
    }
    log.warn(
      `the relay on port ${living.port} does not answer or has the wrong port; replacing it`,
    );
    living.release();
  }
  const wasThere = await endRecordedRelay(folders);
  const binary = findWorkerd();
  const port = await portFor(wish, wasThere ? LET_GO_MS : 0, log);
  return await startOn(binary, port, folders, wish);
}

async function startOn(
  binary: string,
  port: number,
  folders: WorkspaceFolders,
  { graceMs, exposure }: Pick<RelayWish, "graceMs" | "exposure">,
): Promise<EmbeddedRelay> {
  const socket = socketPath(folders);
  const record = recordPath(folders);
  const log = logFile(folders.state, "relay");
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
    temporary: relayFolder(folders),
    log,
    graceMs,
    ...(exposure === undefined ? {} : { tunnelHost: exposure.host }),
  };
  // Not an argument: other users can read those.
  const environment =
    exposure === undefined ? undefined : { ...forLocal(process.env), [KEY_VARIABLE]: exposure.key };
  const program = builtFile("embedded-relay.js");
  const child = launch(program, [JSON.stringify(options)], log, environment);
  try {
    const relay = await waitFor(() => hold(socket), child, log, START_TIMEOUT_MS);
    // Registers the tunnel's process, too, if it already runs.
    if (exposure?.process !== undefined) await relay.expose(exposure);
    return relay;
  } catch (error) {
    const problem = workerdProblem(binary);
    if (problem !== undefined) {
      throw new UserError(
        problem,
        ExitCode.unavailable,
        "You can use a relay elsewhere: --relay URL.",
      );
    }
    const full = fullFolder([folders.runtime, folders.state]);
    if (full !== undefined) throw full;
    throw new UserError(
      `the embedded relay did not start: ${messageOf(error)}`,
      ExitCode.unavailable,
      `Its log is ${log}. You can also use a relay elsewhere: --relay URL.`,
    );
  }
}

function socketPath({ runtime }: WorkspaceFolders): string {
  return join(runtime, "relay.sock");
}

function recordPath({ state }: WorkspaceFolders): string {
  return join(state, "relay.json");
}

/** Connects and waits for the relay's first line; the open connection keeps the relay alive. */
async function hold(path: string): Promise<EmbeddedRelay> {
  const socket = await connectLocal(path);
  socket.on("error", () => socket.destroy());
  const told = new Listeners<[RelayStatus]>();
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
      told.tell(parsed.value);
    });
  }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  const gone = new Listeners<[]>();
  let leaving = false;
  let isGone = socket.destroyed;
  const relay: EmbeddedRelay = {
    port: status.port,
    expose: async (exposure) => {
      const host = exposure?.host ?? null;
      // Nothing to clear, and an older relay would not answer.
      if (exposure === undefined && (last?.tunnelHost ?? null) === null) return;
      writeLine(socket, { expose: exposure ?? null } satisfies Expose);
      await exposed(socket, told, host);
    },
    stop: () => {
      leaving = true;
      return stopped(socket);
    },
    release: () => {
      leaving = true;
      socket.destroy();
    },
    onGone: (listener) => {
      // The relay may have died before the listener was added.
      if (isGone && !leaving) queueMicrotask(listener);
      return gone.add(listener);
    },
  };
  socket.once("close", () => {
    isGone = true;
    if (!leaving) gone.tell();
  });
  return relay;
}

/** Resolves when the relay reports that workerd restarted with this tunnel host. */
function exposed(
  socket: Socket,
  told: Listeners<[RelayStatus]>,
  host: string | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () =>
      settle(() => reject(new Error("the relay did not accept the tunnel's host name")));
    const timer = setTimeout(fail, START_TIMEOUT_MS);
    const end = told.add(({ tunnelHost }) => {
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

function stopped(socket: Socket): Promise<void> {
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

async function answers(port: number): Promise<boolean> {
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
  const wasThere = await endRecorded(recordPath(folders));
  // A killed relay could not remove these.
  rmSync(socketPath(folders), { force: true });
  rmSync(relayFolder(folders), { recursive: true, force: true });
  return wasThere;
}

/** Whether a process of this folder's relay runs. */
export function hasRecordedRelay(folders: WorkspaceFolders): boolean {
  return readRecord(recordPath(folders)).some(isRunning);
}

async function portFor({ port, fixed }: RelayWish, patienceMs: number, log: Log): Promise<number> {
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
