// Owns the host's life: its one client, how long it waits without one, and its end. Starts only
// terminals; does not know what they are for. Also owns the host's socket file: replaced only if
// nothing answers on it, created with 0600, removed at the end only if it is still ours. The bridge
// creates the folder (0700).

import { randomBytes } from "node:crypto";
import { chmodSync, statSync, unlinkSync } from "node:fs";
import type { Socket, Server } from "node:net";
import { connect, createServer } from "node:net";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Frame } from "../../protocol/frame.ts";
import { HostHello } from "../../protocol/host.ts";
import { parsePayload } from "../../protocol/json.ts";
import { HELLO_TIMEOUT_MS, HOST_VERSION } from "../../protocol/limits.ts";
import { Connection } from "./connection.ts";
import { Fetches } from "./fetches.ts";
import type { Log } from "./log.ts";
import { TerminalPool } from "./pool.ts";
import { handleRequest } from "./requests.ts";

/**
 * The kernel may deliver the end of a killed bridge after the hello of the next one: two sockets
 * have no order. So a new client is refused only if the old one is still connected after this time.
 */
const OLD_CLIENT_MS = 100;

export interface HostOptions {
  readonly graceMs: number;
  readonly log: Log;
  /** Runs when the bridge is gone and before a new one: what only it owned is orphaned. */
  readonly onOrphaned?: (instance: string) => void;
  /** Runs when everything has ended. `clean` is false if a process could not be ended. */
  readonly onEnded: (clean: boolean) => void;
}

export class Host {
  readonly #options: HostOptions;
  readonly #log: Log;
  readonly #pool: TerminalPool;
  readonly #instance = randomBytes(16).toString("hex");
  readonly #unknownTypes = new Set<number>();
  #client: Connection | undefined;
  /** Fetches of the client. */
  #fetches: Fetches | undefined;
  #state: string | null = null;
  #grace: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(options: HostOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#pool = new TerminalPool(options.log);
    this.#startGrace();
  }

  /** Accepts a socket, which becomes the client only by its hello; probes have no effect. */
  accept(socket: Socket): void {
    let hello = false;
    const timer = setTimeout(() => connection.close("no hello in time"), HELLO_TIMEOUT_MS);
    const connection = new Connection(socket, this.#log, {
      onFrame: (frame) => {
        if (connection === this.#client) return this.#request(frame, connection);
        if (hello || frame.type !== FrameType.hostHello) return "expected exactly one hello";
        hello = true;
        clearTimeout(timer);
        return this.#hello(frame, connection);
      },
      onDrained: () => this.#onDrained(connection),
      onGone: () => {
        clearTimeout(timer);
        this.#onGone(connection);
      },
    });
  }

  /** Ends every terminal, then the host. */
  async end(reason: string): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#grace);
    this.#log("ending", { reason });
    const clean = await this.#pool.endAll();
    this.#client?.close(reason);
    this.#options.onEnded(clean);
  }

  #hello(frame: Frame, connection: Connection): string | undefined {
    const parsed = parsePayload(HostHello, frame.payload);
    if (!parsed.ok) return parsed.error;
    const { version, software, looks } = parsed.value;
    if (version !== HOST_VERSION) {
      const message = `This pty host speaks version ${HOST_VERSION}, not ${version}.`;
      refuse(connection, message);
      return undefined;
    }
    if (looks === true) {
      this.#describe(connection, null);
      connection.close("sent the list");
      return undefined;
    }
    if (this.#client === undefined) {
      this.#welcome(connection, software);
      return undefined;
    }
    setTimeout(() => {
      if (!connection.open) return;
      if (this.#client === undefined) this.#welcome(connection, software);
      else refuse(connection, "Another bridge is connected to this pty host.");
    }, OLD_CLIENT_MS);
    return undefined;
  }

  #welcome(connection: Connection, software: string): void {
    clearTimeout(this.#grace);
    this.#client = connection;
    this.#fetches = new Fetches((handle) => this.#pool.get(handle), connection);
    this.#log("client-welcomed", { software });
    this.#describe(connection, this.#state);
    this.#pool.connect(connection);
  }

  /** Sends the host's state and terminals. */
  #describe(connection: Connection, state: string | null): void {
    connection.send(FrameType.hostWelcome, 0, {
      version: HOST_VERSION,
      pid: process.pid,
      instance: this.#instance,
      state,
      screens: true,
    });
    for (const terminal of this.#pool.all()) {
      connection.send(FrameType.terminalState, terminal.handle, terminal.state());
    }
    connection.send(FrameType.caughtUp, 0);
  }

  /** Continues after a drain: one answer chunk first, then live output, then the other answers. */
  #onDrained(connection: Connection): void {
    if (connection !== this.#client) return;
    this.#fetches?.stepFirst();
    this.#pool.pump();
    this.#fetches?.pump();
  }

  #request(frame: Frame, client: Connection): string | undefined {
    if (frame.type === FrameType.hostHello) return "a second hello";
    return handleRequest(frame, this.#pool, client, {
      fetch: (handle, fetch) => this.#fetches?.add(handle, fetch),
      setState: (text) => {
        this.#state = text;
      },
      shutdown: () => void this.end("the bridge requested it"),
      unknown: (type) => {
        if (this.#unknownTypes.has(type)) return;
        this.#unknownTypes.add(type);
        this.#log("unknown-frame", { type });
      },
    });
  }

  #onGone(connection: Connection): void {
    if (connection !== this.#client) return;
    this.#client = undefined;
    this.#fetches = undefined;
    this.#log("client-gone");
    this.#pool.connect(undefined);
    // Before the next client is welcomed: its processes get the same tags.
    if (!this.#ending) this.#options.onOrphaned?.(this.#instance);
    this.#startGrace();
  }

  #startGrace(): void {
    if (this.#ending) return;
    const { graceMs } = this.#options;
    this.#grace = setTimeout(() => void this.end(`no bridge for ${graceMs} ms`), graceMs);
  }
}

function refuse(connection: Connection, message: string): void {
  connection.failed(0, message);
  connection.close(message);
}

export interface Listener {
  /** Stops listening and removes the file. */
  close(): void;
}

/** Listens; rejects if another host answers there. */
export async function listenOn(path: string, accept: (socket: Socket) => void): Promise<Listener> {
  if (await isAnswered(path)) throw new Error(`another pty host answers on ${path}`);
  removeStale(path);
  const server = createServer(accept);
  await bind(server, path);
  chmodSync(path, 0o600);
  const { ino } = statSync(path);
  return {
    close: () => {
      // Closing removes the file by its name, even if another host created it.
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) server.close();
    },
  };
}

async function bind(server: Server, path: string): Promise<void> {
  // `listen` creates the file synchronously; children must not inherit the stricter mask.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
      process.umask(mask);
    });
  } finally {
    process.umask(mask);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/** Removes a stale socket; never another file, in case of a wrong path. */
function removeStale(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(path);
}
