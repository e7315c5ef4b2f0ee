// Owns what is done to terminals: start, input, size, metadata, fetches, end. Which ones exist and what
// the pty host reports is in LiveTerminals. Does not know callers or viewers; the services decide
// before they call it.

import { randomBytes } from "node:crypto";
import type { Spawn, Checkpoint } from "../../protocol/host.ts";
import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import type { Log } from "../log.ts";
import { endTree } from "./end-tree.ts";
import { estimateBytes, FetchQueue } from "./fetch-queue.ts";
import { PROCESS_TAG_ENV, formatProcessTag } from "../sweep.ts";
import type { RetainedBytes } from "./host-client.ts";
import type { HostTerminal } from "./host-reports.ts";
import type { HostScreen } from "./host-requests.ts";
import type { PlanResult, SpawnDefaults, SpawnPlan, SpawnRequest } from "./spawn-plan.ts";
import { planSpawn } from "./spawn-plan.ts";
import type { Host } from "./live-terminals.ts";
import { LiveTerminals } from "./live-terminals.ts";
import type { Actor } from "./terminal-events.ts";
import type { Meta, PoolTerminal } from "./terminal.ts";
import { describeTerminal, toMeta } from "./terminal.ts";
import { Unavailable } from "./unavailable.ts";

/** More than a person opens by hand; stops a loop that opens terminals. */
export const MAX_TERMINALS = 200;

/**
 * Bytes requested from the pty host and not answered: two whole buffers per caller, and some for
 * others.
 */
const FETCH_BUDGETS = { caller: 2 * REPLAY_BYTES, all: 8 * REPLAY_BYTES };

export interface PoolOptions extends SpawnDefaults {
  readonly log: Log;
}

export type SpawnResult =
  | { readonly ok: true; readonly terminal: Terminal }
  | { readonly ok: false; readonly code: "spawn_failed" | "too_many"; readonly error: string };

export class TerminalPool extends LiveTerminals {
  readonly #options: PoolOptions;
  readonly #fetches = new FetchQueue(FETCH_BUDGETS);
  /** Spawns sent to the host and not yet confirmed. */
  #starting = 0;

  constructor(options: PoolOptions) {
    super(options.log);
    this.#options = options;
  }

  /** Returns what would run, and where; or why it cannot. Starts nothing. */
  plan(request: SpawnRequest): PlanResult {
    return planSpawn(request, this.#options);
  }

  /** Starts a terminal as planned. */
  async start(plan: SpawnPlan): Promise<SpawnResult> {
    const host = this.host;
    if (host === undefined) return refuse("The pty host is not running; try again in a moment");
    if (this.running().length + this.#starting >= MAX_TERMINALS) {
      const error = `There are ${MAX_TERMINALS} terminals already; close some first`;
      return { ok: false, code: "too_many", error };
    }
    const register = (state: HostTerminal) => this.#register(state, host, plan.argv[0]);
    this.#starting += 1;
    try {
      return await host.spawn(
        toSpawnSpec(plan, host.welcome.instance),
        (state): SpawnResult => ({ ok: true, terminal: describeTerminal(register(state)) }),
        // The caller already got an error: the terminal is listed only until it has ended.
        (state) => void this.close(register(state), "the pty host made it too late"),
      );
    } catch (error) {
      if (error instanceof Unavailable) return refuse(error.message);
      throw error;
    } finally {
      this.#starting -= 1;
    }
  }

  input(terminal: PoolTerminal, bytes: Uint8Array): void {
    if (terminal.life.state === "finished") return;
    terminal.inputs += 1;
    this.host?.input(terminal.handle, bytes);
  }

  /** Resizes a terminal. A finished one keeps the size that its program knew. */
  resize(terminal: PoolTerminal, cols: number, rows: number): void {
    if (terminal.life.state === "finished") return;
    const isNew = terminal.cols !== cols || terminal.rows !== rows;
    terminal.cols = cols;
    terminal.rows = rows;
    if (isNew) this.sizes.fire(terminal);
    this.host?.resize(terminal.handle, cols, rows);
  }

  /** Makes its programs read the size again, by SIGWINCH. */
  signalResize(id: string): void {
    const terminal = this.get(id);
    if (terminal?.life.state === "running") this.host?.signal(terminal.handle, "SIGWINCH");
  }

  /** Updates the metadata, which the host keeps for the next bridge, and emits `changed`. */
  updateMeta(terminal: PoolTerminal, updates: Partial<Meta>, by?: Actor): void {
    const before = terminal.meta;
    this.#storeMeta(terminal, updates, by);
    if (terminal.life.state === "finished") return;
    this.emit("changed", terminal, before);
    // A waiting reader may be allowed to read more now.
    this.watchers.notify(terminal);
  }

  /** Makes an agent's terminal visible, and the user's. */
  promote(terminal: PoolTerminal, by?: Actor): void {
    this.#storeMeta(terminal, { owner: "user", visible: true, lifetime: "user" }, by);
    this.log.info(`terminal ${terminal.id} promoted`);
    this.emit("promoted", terminal);
  }

  /** Stores how far an agent has read its session, for the next bridge. */
  storeSessionProgress(
    terminal: PoolTerminal,
    progress: { position: number; isTold: boolean },
  ): void {
    const { session } = terminal.meta;
    if (session === undefined) return;
    terminal.meta = { ...terminal.meta, session: { ...session, ...progress } };
    this.host?.setMeta(terminal.handle, terminal.meta);
  }

  /** Ends a terminal and all its processes. Resolves when they are gone. */
  async close(terminal: PoolTerminal, reason: string, by?: string): Promise<void> {
    const host = this.host;
    if (terminal.life.state !== "running" || host === undefined) return terminal.finished;
    this.log.info(`terminal ${terminal.id} closing: ${reason}`);
    terminal.life = { state: "closing" };
    terminal.closeReason = reason;
    if (by !== undefined) terminal.closedBy = by;
    const mark = formatProcessTag(host.welcome.instance, terminal.id);
    const signal = (name: string) => host.signal(terminal.handle, name);
    const isCommand = terminal.meta.command !== undefined;
    await endTree({ isCommand, signal, finished: terminal.finished, tag: mark, pid: terminal.pid });
    return undefined;
  }

  /** Drops a finished terminal that a plan retained. */
  forget(terminal: PoolTerminal): void {
    if (terminal.life.state !== "finished") return;
    this.remove(terminal);
    this.host?.forget(terminal.handle);
  }

  /**
   * Fetches retained bytes at an exact point of the stream: see HostClient.fetch. Callers take
   * turns; without a caller, the fetch takes its terminal's turn.
   */
  fetch<T>(
    terminal: PoolTerminal,
    from: number,
    most: number,
    accept: (retained: RetainedBytes) => T,
    to?: number,
    caller = terminal.id,
  ): Promise<T> {
    const host = this.host;
    if (host === undefined) return Promise.reject(hostGoneError());
    return new Promise((resolve, reject) => {
      this.#fetches.add(caller, estimateBytes(terminal, from, most, to), (share) => {
        // Another host has other handles.
        const answer =
          this.host === host
            ? host.fetch(terminal.handle, from, most, accept, to)
            : Promise.reject<T>(hostGoneError());
        answer.then(resolve, reject).finally(() => share.release());
      });
    });
  }

  /** Requests what a screen needs beside the bytes: sizes, modes, the last checkpoint. */
  screenState(terminal: PoolTerminal, since: number, checkpoint: boolean): Promise<HostScreen> {
    const requested = this.host?.screen(terminal.handle, since, checkpoint);
    if (requested !== undefined) return requested;
    // An older host: assumes that the size was always the current one.
    const { cols, rows } = terminal;
    return this.fetch(terminal, 0, Number.MAX_SAFE_INTEGER, ({ offset: first, bytes }) => {
      const marks = [{ offset: 0, cols, rows, modes: "" }];
      return { request: 0, first, end: first + bytes.length, marks };
    });
  }

  storeCheckpoint(terminal: PoolTerminal, checkpoint: Checkpoint): void {
    this.host?.setCheckpoint(terminal.handle, checkpoint);
  }

  /** Writes the answer to every query up to an offset, unless they were answered before. */
  answer(terminal: PoolTerminal, upTo: number, bytes: Uint8Array): void {
    terminal.queries = terminal.queries.filter(({ offset }) => offset > upTo);
    if (bytes.length > 0) {
      terminal.inputs += 1;
      terminal.answers += 1;
    }
    this.host?.answer(terminal.handle, { upTo, bytes });
  }

  /** Resolves after a round trip to the pty host. */
  async ping(): Promise<void> {
    if (this.host === undefined) throw hostGoneError();
    await this.host.nudge();
  }

  #register(state: HostTerminal, host: Host, file: string): PoolTerminal {
    const terminal = this.addStarted(state, host);
    this.log.info(`terminal ${terminal.id} created: ${file}`);
    this.emit("created", terminal);
    return terminal;
  }

  #storeMeta(terminal: PoolTerminal, updates: Partial<Meta>, by?: Actor): void {
    const before = terminal.meta;
    terminal.meta = { ...before, ...updates };
    this.host?.setMeta(terminal.handle, terminal.meta);
    this.changes.fire({ terminal, before, by });
  }
}

/** Returns the spawn request for the pty host. */
function toSpawnSpec(plan: SpawnPlan, instance: string): Omit<Spawn, "request"> {
  const { argv, cwd, env, size } = plan;
  const [file, ...args] = argv;
  const id = `pty-${randomBytes(6).toString("hex")}`;
  const marked = { ...env, [PROCESS_TAG_ENV]: formatProcessTag(instance, id) };
  const retain = plan.retain === undefined ? {} : { retain: plan.retain };
  return { id, file, args, cwd, env: marked, ...size, meta: toMeta(plan, Date.now()), ...retain };
}

function hostGoneError(): Unavailable {
  return new Unavailable("the pty host is gone");
}

function refuse(error: string): SpawnResult {
  return { ok: false, code: "spawn_failed", error };
}
