// Owns the life of terminals: start, input, size, end, and their events. Does not know callers or
// viewers; the services decide before they call it.

import { randomBytes } from "node:crypto";
import type { Query, Spawn, Checkpoint } from "../../protocol/host.ts";
import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit, Terminal, TerminalEvent } from "../../protocol/terminal.ts";
import { cleanTitle } from "../../protocol/names.ts";
import { logFault, logErrors } from "../faults.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import { endTree } from "./end-tree.ts";
import { estimateBytes, FetchQueue } from "./fetch-queue.ts";
import { PROCESS_TAG_ENV, formatProcessTag, sweepTag } from "../sweep.ts";
import type { HostClient, HostTerminal, RetainedBytes } from "./host-client.ts";
import type { HostScreen } from "./host-requests.ts";
import type { PlanResult, SpawnDefaults, SpawnPlan, SpawnRequest } from "./spawn-plan.ts";
import { planSpawn } from "./spawn-plan.ts";
import type { Reader } from "./readers.ts";
import { Readers } from "./readers.ts";
import { TerminalTable, Watchers } from "./terminal-table.ts";
import type { Meta, PoolTerminal } from "./terminal.ts";
import { describeTerminal, toPoolTerminal, isCounted, toMeta } from "./terminal.ts";
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

/** The pty host as the pool uses it. */
export type Host = Omit<HostClient, "path">;

export type SpawnResult =
  | { readonly ok: true; readonly terminal: Terminal }
  | { readonly ok: false; readonly code: "spawn_failed" | "too_many"; readonly error: string };

/** The actor of a change, for the audit log; the pool passes it on unread. */
export interface Actor {
  readonly grant: string;
  readonly label: string;
  readonly as: { readonly label: string; readonly name?: string; readonly door: string };
}

export interface TerminalChange {
  readonly terminal: PoolTerminal;
  /** Metadata before the change; `terminal.meta` is the new one. */
  readonly before: Meta;
  readonly by: Actor | undefined;
}

export class TerminalPool {
  readonly #options: PoolOptions;
  readonly #terminals = new TerminalTable();
  readonly #readers = new Map<string, Readers>();
  readonly #events = new Emitter<[TerminalEvent, before?: Meta]>();
  readonly #changes = new Emitter<[TerminalChange]>();
  readonly #activity = new Emitter<[PoolTerminal]>();
  readonly #queries = new Emitter<[PoolTerminal]>();
  readonly #titles = new Emitter<[PoolTerminal]>();
  readonly #sizes = new Emitter<[PoolTerminal]>();
  readonly #hostsGone = new Emitter<[number]>();
  readonly #watchers = new Watchers<PoolTerminal>();
  readonly #fetches = new FetchQueue(FETCH_BUDGETS);
  #host: Host | undefined;
  /** Spawns sent to the host and not yet confirmed. */
  #starting = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Fires for every `TerminalEvent`, in order. */
  onEvent(listener: (event: TerminalEvent, before?: Meta) => void): () => void {
    return this.#events.add(this.#logErrors(listener));
  }

  /** Fires when a terminal's metadata changed. */
  onChange(listener: (change: TerminalChange) => void): () => void {
    return this.#changes.add(this.#logErrors(listener));
  }

  /** Fires on input or output, at most a few times a second per terminal. */
  onActivity(listener: (terminal: PoolTerminal) => void): () => void {
    return this.#activity.add(this.#logErrors(listener));
  }

  /** Fires when a program queries its terminal; the query is in `queries` until it is answered. */
  onQuery(listener: (terminal: PoolTerminal) => void): () => void {
    return this.#queries.add(this.#logErrors(listener));
  }

  /** Fires when the program's title changed, at most twice a second per terminal. */
  onTitle(listener: (terminal: PoolTerminal) => void): () => void {
    return this.#titles.add(this.#logErrors(listener));
  }

  /** Fires on resize, before the program gets SIGWINCH. */
  onSize(listener: (terminal: PoolTerminal) => void): () => void {
    return this.#sizes.add(this.#logErrors(listener));
  }

  /** Calls `listener` on activity and at the end of one terminal; returns an unsubscriber. */
  watch(terminal: PoolTerminal, listener: () => void): () => void {
    return this.#watchers.watch(terminal, this.#logErrors(listener));
  }

  /** Returns the number of `watch` subscriptions. */
  get watcherCount(): number {
    return this.#watchers.count;
  }

  /** Takes over the terminals of a host that has just been connected. */
  adopt(host: Host): void {
    this.#host = host;
    for (const state of host.found) {
      this.#terminals.add(toPoolTerminal(state, Date.now()));
    }
    // Terminals of an older bridge have no number yet.
    for (const terminal of this.running()) {
      if (terminal.meta.number === undefined) this.#assignNumber(terminal, host);
    }
    host.listen({
      onOutput: (handle, output) => this.#findReaders(handle)?.onOutput(output),
      onGap: (handle, gap) => this.#findReaders(handle)?.onGap(gap),
      onActivity: (handle, end) => {
        const terminal = this.#terminals.byHandle(handle);
        if (terminal === undefined) return;
        terminal.end = end;
        this.#activity.fire(terminal);
        this.#watchers.notify(terminal);
      },
      onQuery: (handle, query) => this.#onQuery(handle, query),
      onTitle: (handle, title) => this.#onTitle(handle, title),
      onExited: (handle, exit, end) => {
        const terminal = this.#terminals.byHandle(handle);
        if (terminal !== undefined) this.#onExit(terminal, exit, end);
      },
      onClosed: (reason) => this.#onHostGone(host, reason),
      onFault: (frame, error) =>
        logFault(this.#options.log, `frame ${frame} of the pty host`, error),
    });
  }

  /** Fires when the pty host is gone, after `closed` of its terminals; with the number that ran. */
  onHostGone(listener: (ended: number) => void): () => void {
    return this.#hostsGone.add(this.#logErrors(listener));
  }

  list(): Terminal[] {
    return this.running().map(describeTerminal);
  }

  /** Returns a running or recently finished terminal. */
  get(id: string): PoolTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Returns every terminal that has not finished. */
  running(): PoolTerminal[] {
    return this.#terminals.running();
  }

  /** Returns how many run, without mirrors of agents' commands. */
  get count(): number {
    return this.running().filter(({ meta }) => isCounted(meta)).length;
  }

  /** Returns all terminals, running or recently finished. */
  all(): PoolTerminal[] {
    return this.#terminals.all();
  }

  /** Returns what would run, and where; or why it cannot. Starts nothing. */
  plan(request: SpawnRequest): PlanResult {
    return planSpawn(request, this.#options);
  }

  /** Starts a terminal as planned. */
  async start(plan: SpawnPlan): Promise<SpawnResult> {
    const host = this.#host;
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
    this.#host?.input(terminal.handle, bytes);
  }

  /** Resizes a terminal. A finished one keeps the size that its program knew. */
  resize(terminal: PoolTerminal, cols: number, rows: number): void {
    if (terminal.life.state === "finished") return;
    const isNew = terminal.cols !== cols || terminal.rows !== rows;
    terminal.cols = cols;
    terminal.rows = rows;
    if (isNew) this.#sizes.fire(terminal);
    this.#host?.resize(terminal.handle, cols, rows);
  }

  /** Makes its programs read the size again, by SIGWINCH. */
  signalResize(id: string): void {
    const terminal = this.#terminals.get(id);
    if (terminal?.life.state === "running") this.#host?.signal(terminal.handle, "SIGWINCH");
  }

  /** Updates the metadata, which the host keeps for the next bridge, and emits `changed`. */
  updateMeta(terminal: PoolTerminal, updates: Partial<Meta>, by?: Actor): void {
    const before = terminal.meta;
    this.#storeMeta(terminal, updates, by);
    if (terminal.life.state === "finished") return;
    this.#emit("changed", terminal, before);
    // A waiting reader may be allowed to read more now.
    this.#watchers.notify(terminal);
  }

  /** Makes an agent's terminal visible, and the user's. */
  promote(terminal: PoolTerminal, by?: Actor): void {
    this.#storeMeta(terminal, { owner: "user", visible: true, lifetime: "user" }, by);
    this.#options.log.info(`terminal ${terminal.id} promoted`);
    this.#emit("promoted", terminal);
  }

  /** Stores how far an agent has read its session, for the next bridge. */
  storeSessionProgress(
    terminal: PoolTerminal,
    progress: { position: number; isTold: boolean },
  ): void {
    const { session } = terminal.meta;
    if (session === undefined) return;
    terminal.meta = { ...terminal.meta, session: { ...session, ...progress } };
    this.#host?.setMeta(terminal.handle, terminal.meta);
  }

  /** Emits a preview of a background terminal's output, for callers that are not attached. */
  emitPreview(terminal: PoolTerminal, output: string): void {
    this.#events.fire({
      type: "terminal",
      event: "output",
      terminal: describeTerminal(terminal),
      output,
    });
  }

  /** Ends a terminal and all its processes. Resolves when they are gone. */
  async close(terminal: PoolTerminal, reason: string, by?: string): Promise<void> {
    const host = this.#host;
    if (terminal.life.state !== "running" || host === undefined) return terminal.finished;
    this.#options.log.info(`terminal ${terminal.id} closing: ${reason}`);
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
    this.#terminals.remove(terminal);
    this.#host?.forget(terminal.handle);
  }

  /** Reads from `from` on, within a credit that the reader extends. */
  read(terminal: PoolTerminal, reader: Reader, from: number, credit: number): void {
    const readers = this.#readers.get(terminal.id) ?? this.#newReaders(terminal);
    readers.read(reader, from, credit);
  }

  credit(terminal: PoolTerminal, reader: Reader, offset: number): void {
    this.#readers.get(terminal.id)?.credit(reader, offset);
  }

  /** Pauses a reader, which will continue at `from` or later; the program does not wait for it. */
  park(terminal: PoolTerminal, reader: Reader, from: number): void {
    this.#readers.get(terminal.id)?.park(reader, from);
  }

  unread(terminal: PoolTerminal, reader: Reader): void {
    const readers = this.#readers.get(terminal.id);
    readers?.unread(reader);
    if (readers?.isEmpty === true) this.#readers.delete(terminal.id);
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
    const host = this.#host;
    if (host === undefined) return Promise.reject(hostGoneError());
    return new Promise((resolve, reject) => {
      this.#fetches.add(caller, estimateBytes(terminal, from, most, to), (share) => {
        // Another host has other handles.
        const answer =
          this.#host === host
            ? host.fetch(terminal.handle, from, most, accept, to)
            : Promise.reject<T>(hostGoneError());
        answer.then(resolve, reject).finally(() => share.release());
      });
    });
  }

  /** Emits `closed` once. Each reader calls it after its last byte, unless parked. */
  announceClosed(terminal: PoolTerminal): void {
    if (terminal.announced || this.#readers.get(terminal.id)?.hasActiveReader === true) return;
    terminal.announced = true;
    this.#emit("closed", terminal);
  }

  /** Requests what a screen needs beside the bytes: sizes, modes, the last checkpoint. */
  screenState(terminal: PoolTerminal, since: number, checkpoint: boolean): Promise<HostScreen> {
    const requested = this.#host?.screen(terminal.handle, since, checkpoint);
    if (requested !== undefined) return requested;
    // An older host: assumes that the size was always the current one.
    const { cols, rows } = terminal;
    return this.fetch(terminal, 0, Number.MAX_SAFE_INTEGER, ({ offset: first, bytes }) => {
      const marks = [{ offset: 0, cols, rows, modes: "" }];
      return { request: 0, first, end: first + bytes.length, marks };
    });
  }

  storeCheckpoint(terminal: PoolTerminal, checkpoint: Checkpoint): void {
    this.#host?.setCheckpoint(terminal.handle, checkpoint);
  }

  /** Writes the answer to every query up to an offset, unless they were answered before. */
  answer(terminal: PoolTerminal, upTo: number, bytes: Uint8Array): void {
    terminal.queries = terminal.queries.filter(({ offset }) => offset > upTo);
    if (bytes.length > 0) {
      terminal.inputs += 1;
      terminal.answers += 1;
    }
    this.#host?.answer(terminal.handle, { upTo, bytes });
  }

  /** Resolves after a round trip to the pty host. */
  async ping(): Promise<void> {
    if (this.#host === undefined) throw hostGoneError();
    await this.#host.nudge();
  }

  #register(state: HostTerminal, host: Host, file: string): PoolTerminal {
    const terminal = toPoolTerminal(state, Date.now(), true);
    this.#terminals.add(terminal);
    this.#assignNumber(terminal, host);
    this.#options.log.info(`terminal ${terminal.id} created: ${file}`);
    this.#emit("created", terminal);
    return terminal;
  }

  #storeMeta(terminal: PoolTerminal, updates: Partial<Meta>, by?: Actor): void {
    const before = terminal.meta;
    terminal.meta = { ...before, ...updates };
    this.#host?.setMeta(terminal.handle, terminal.meta);
    this.#changes.fire({ terminal, before, by });
  }

  /** Wraps a listener: a throwing listener must not stop the others. */
  #logErrors<Values extends unknown[]>(
    listener: (...values: Values) => void,
  ): (...values: Values) => void {
    return logErrors(this.#options.log, "a listener of the terminals", listener);
  }

  #assignNumber(terminal: PoolTerminal, host: Host): void {
    // Shown in its conversation, not in a tab with a number.
    if (terminal.meta.conversation !== undefined) return;
    terminal.meta = { ...terminal.meta, number: this.#terminals.freeNumber };
    host.setMeta(terminal.handle, terminal.meta);
  }

  #newReaders(terminal: PoolTerminal): Readers {
    const { id, handle } = terminal;
    const readers = new Readers({
      // An agent's background program does not wait for viewers.
      read: (from, credit) =>
        this.#host?.read(handle, { from, credit, paced: terminal.meta.owner === "user" }),
      credit: (offset) => this.#host?.credit(handle, offset),
      park: (from) => this.#host?.read(handle, { from, credit: from, paced: false }),
      unread: () => this.#host?.unread(handle),
    });
    this.#readers.set(id, readers);
    return readers;
  }

  #findReaders(handle: number): Readers | undefined {
    const id = this.#terminals.byHandle(handle)?.id;
    return id === undefined ? undefined : this.#readers.get(id);
  }

  #onQuery(handle: number, query: Query): void {
    const terminal = this.#terminals.byHandle(handle);
    if (terminal === undefined) return;
    terminal.queries = [...terminal.queries, query];
    this.#queries.fire(terminal);
  }

  #onTitle(handle: number, raw: string): void {
    const terminal = this.#terminals.byHandle(handle);
    const title = cleanTitle(raw);
    if (terminal === undefined || terminal.title === title) return;
    terminal.title = title;
    this.#titles.fire(terminal);
  }

  #onExit(terminal: PoolTerminal, exit: Exit, end: number): void {
    if (terminal.life.state === "finished") return;
    terminal.life = { state: "finished", exit, end, at: Date.now() };
    terminal.end = Math.max(terminal.end, end);
    terminal.finish();
    this.#watchers.end(terminal);
    this.#options.log.info(`terminal ${terminal.id} finished: ${exit.signal ?? exit.exitCode}`);
    this.#readers.get(terminal.id)?.onExited(exit, end);
    this.announceClosed(terminal);
    this.#terminals.trim();
  }

  #onHostGone(host: Host, reason: string): void {
    if (this.#host !== host) return;
    this.#host = undefined;
    this.#options.log.error(`pty host gone: ${reason}`);
    const { count } = this;
    for (const terminal of this.running()) {
      const { instance } = host.welcome;
      this.#readers.delete(terminal.id);
      this.#onExit(terminal, { exitCode: null, signal: null }, 0);
      sweepTag(formatProcessTag(instance, terminal.id));
    }
    this.#terminals.clear();
    this.#hostsGone.fire(count);
  }

  #emit(event: TerminalEvent["event"], terminal: PoolTerminal, before?: Meta): void {
    const { life } = terminal;
    const isClosed = event === "closed";
    const exit = isClosed && life.state === "finished" ? { exit: life.exit } : {};
    const { closeReason, closedBy: by } = terminal;
    const isOnPurpose = isClosed && closeReason !== undefined;
    const purpose = isOnPurpose ? { onPurpose: true, ...(by === undefined ? {} : { by }) } : {};
    const base = { type: "terminal", event, terminal: describeTerminal(terminal) } as const;
    this.#events.fire({ ...base, ...exit, ...purpose }, before);
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
