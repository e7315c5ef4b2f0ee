// Owns finding the embedded relay of a workspace, or starting one, on the folder's own port.

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
/** A workerd that was just killed holds its port until its last thread is gone. */
const LET_GO_MS = 3_000;

export interface EmbeddedRelay {
  readonly port: number;
  /** A tunnel leads to it, or none any more. Resolves when its workerd has begun anew with that. */
  expose(exposure: Exposure | undefined): Promise<void>;
  /** Ends the relay. Resolves when it is gone. */
  stop(): Promise<void>;
  /** Leaves it to the next bridge. */
  release(): void;
  /** The relay's process is gone though nobody asked for that. Returns the end of it. */
  onGone(listener: () => void): () => void;
}

export interface RelayWish {
  /** What the folder had last time. */
  readonly port: number | null;
  /** Asked for by flag: another port will not do. */
  readonly fixed: boolean;
  readonly graceMs: number;
  /** A tunnel leads to it, or soon will. */
  readonly exposure?: Exposure | undefined;
}

/** Of the relay's process alone, made anew when it starts. */
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
      // Whatever the bridge before had.
      await living.expose(wish.exposure);
      return living;
    }
    log.warn(`the relay on port ${living.port} is replaced`);
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
  // Not an argument: those are everybody's to read.
  const environment =
    exposure === undefined ? undefined : { ...forLocal(process.env), [KEY_VARIABLE]: exposure.key };
  const program = builtFile("embedded-relay.js");
  const child = launch(program, [JSON.stringify(options)], log, environment);
  try {
    const relay = await waitFor(() => hold(socket), child, log, START_TIMEOUT_MS);
    // The tunnel's process too, where it runs already.
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

/** Connects and waits for the relay's first line; the connection keeps it alive. */
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
      // Nothing to take back: a relay of before would not answer.
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
      // It may have died before anybody listened.
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

/** The relay says so once workerd has begun anew. */
function exposed(
  socket: Socket,
  told: Listeners<[RelayStatus]>,
  host: string | null,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = () => settle(() => reject(new Error("the relay did not take the tunnel's name")));
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

/** Ends whatever of a relay is still there by its record: a killed one leaves its workerd behind. */
export async function endRecordedRelay(folders: WorkspaceFolders): Promise<boolean> {
  const wasThere = await endRecorded(recordPath(folders));
  // One that was killed had no time to remove its own.
  rmSync(socketPath(folders), { force: true });
  rmSync(relayFolder(folders), { recursive: true, force: true });
  return wasThere;
}

/** Something of a relay of this folder runs. */
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
