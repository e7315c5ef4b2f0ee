// Owns the life of terminals: opening, typing, sizing, ending, and the events about them.
// Does not know who asks or who watches; the dialects decide that before they come here.

import { EventEmitter } from "node:events";
import type { Query } from "../../protocol/host.ts";
import type { SpawnRequest } from "../../protocol/pty.ts";
import type { Checkpoint } from "../../protocol/screen.ts";
import type { Exit, Terminal, TerminalEvent } from "../../protocol/terminal.ts";
import { plainTitle } from "../../protocol/title.ts";
import { logFault, unfailing } from "../faults.ts";
import type { Log } from "../log.ts";
import { endTree } from "./ending.ts";
import { markOf } from "./environment.ts";
import type { HostClient, HostTerminal, Retained } from "./host-client.ts";
import type { HostScreen } from "./host-requests.ts";
import type { Reader } from "./readers.ts";
import { Readers } from "./readers.ts";
import type { SpawnDefaults, Spawner } from "./spawn-plan.ts";
import { planSpawn } from "./spawn-plan.ts";
import { sweep } from "./sweep.ts";
import { TerminalTable } from "./table.ts";
import type { PoolTerminal } from "./terminal.ts";
import { describe, fromHost } from "./terminal.ts";
import { Unavailable } from "./unavailable.ts";
import { Watchers } from "./watchers.ts";

/** More than a person opens by hand; enough to stop a loop that opens them. */
export const MAX_TERMINALS = 200;

export interface PoolOptions extends SpawnDefaults {
  readonly log: Log;
}

/** The pty host as the pool asks it. */
export type Host = Pick<HostClient, keyof HostClient>;

const USER: Spawner = { owner: "user", visible: true };

export type SpawnResult =
  | { readonly ok: true; readonly terminal: Terminal }
  | { readonly ok: false; readonly code: "spawn_failed" | "too_many"; readonly error: string };

export class TerminalPool {
  readonly #options: PoolOptions;
  readonly #terminals = new TerminalTable();
  readonly #readers = new Map<string, Readers>();
  readonly #emitter = new EventEmitter<{
    event: [TerminalEvent];
    activity: [PoolTerminal];
    query: [PoolTerminal];
    title: [PoolTerminal];
  }>();
  readonly #watchers = new Watchers<PoolTerminal>();
  #host: Host | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Every `TerminalEvent`, in order. */
  onEvent(listener: (event: TerminalEvent) => void): void {
    this.#emitter.on("event", this.#unfailing(listener));
  }

  /** Something was typed or printed; told at most a few times a second per terminal. */
  onActivity(listener: (terminal: PoolTerminal) => void): void {
    this.#emitter.on("activity", this.#unfailing(listener));
  }

  /** A program asked its terminal something: it is in `queries` until it is answered. */
  onQuery(listener: (terminal: PoolTerminal) => void): void {
    this.#emitter.on("query", this.#unfailing(listener));
  }

  /** Its program calls itself something else; told at most twice a second per terminal. */
  onTitle(listener: (terminal: PoolTerminal) => void): void {
    this.#emitter.on("title", this.#unfailing(listener));
  }

  /** Activity and the end of one terminal, until the returned function is called. */
  watch(terminal: PoolTerminal, listener: () => void): () => void {
    return this.#watchers.watch(terminal, this.#unfailing(listener));
  }

  /** How many watch a terminal now. */
  get watching(): number {
    return this.#watchers.count;
  }

  /** Takes the terminals of a host that was just connected. */
  adopt(host: Host): void {
    this.#host = host;
    for (const state of host.found) {
      const terminal = fromHost(state, Date.now());
      if (terminal !== undefined) this.#terminals.add(terminal);
      else this.#options.log.warn(`terminal ${state.id} has no readable meta; left alone`);
    }
    // Of a bridge that gave none, or died before it could.
    for (const terminal of this.running()) {
      if (terminal.meta.number === undefined) this.#number(terminal, host);
    }
    host.events = {
      output: (handle, output) => this.#readersOf(handle)?.output(output),
      gap: (handle, gap) => this.#readersOf(handle)?.gap(gap),
      activity: (handle, end) => {
        const terminal = this.#terminals.byHandle(handle);
        if (terminal === undefined) return;
        terminal.end = end;
        this.#emitter.emit("activity", terminal);
        this.#watchers.tell(terminal);
      },
      query: (handle, query) => this.#onQuery(handle, query),
      title: (handle, title) => this.#onTitle(handle, title),
      exited: (handle, exit, end) => {
        const terminal = this.#terminals.byHandle(handle);
        if (terminal !== undefined) this.#onExit(terminal, exit, end);
      },
      closed: (reason) => this.#onHostGone(host, reason),
      fault: (frame, error) => logFault(this.#options.log, `frame ${frame} of the pty host`, error),
    };
    for (const { handle, query } of host.earlyQueries) this.#onQuery(handle, query);
  }

  /** Called when the pty host is gone, after its terminals were told closed, with how many ran. */
  onHostGone: (ended: number) => void = () => {};

  list(): Terminal[] {
    return this.running().map(describe);
  }

  /** Running or lately finished. */
  get(id: string): PoolTerminal | undefined {
    return this.#terminals.get(id);
  }

  /** Every terminal that has not finished. */
  running(): PoolTerminal[] {
    return this.#terminals.running();
  }

  /** Opens a terminal, of the user's unless said otherwise. */
  async spawn(request: SpawnRequest, by: Spawner = USER): Promise<SpawnResult> {
    const host = this.#host;
    if (host === undefined) return refuse("The pty host is not running; try again in a moment");
    if (this.running().length >= MAX_TERMINALS) {
      const error = `There are ${MAX_TERMINALS} terminals already; close some first`;
      return { ok: false, code: "too_many", error };
    }
    const plan = planSpawn(request, by, this.#options, host.welcome.instance);
    if (!plan.ok) return refuse(plan.error);
    const take = (state: HostTerminal) => this.#take(state, host, plan.spec.file);
    try {
      return await host.spawn(
        plan.spec,
        (state): SpawnResult => {
          const terminal = take(state);
          if (terminal === undefined) return refuse("The pty host answered with something else");
          return { ok: true, terminal: describe(terminal) };
        },
        // Whoever asked was told that there is none: it is listed only for as long as it ends.
        (state) => {
          const terminal = take(state);
          if (terminal !== undefined) void this.close(terminal, "the pty host made it too late");
        },
      );
    } catch (error) {
      if (error instanceof Unavailable) return refuse(error.message);
      throw error;
    }
  }

  input(terminal: PoolTerminal, bytes: Uint8Array): void {
    if (terminal.life.state !== "finished") this.#host?.input(terminal.handle, bytes);
  }

  resize(terminal: PoolTerminal, cols: number, rows: number): void {
    terminal.cols = cols;
    terminal.rows = rows;
    if (terminal.life.state !== "finished") this.#host?.resize(terminal.handle, cols, rows);
  }

  /** From the background to everybody's eyes; it is the user's from now on. */
  promote(terminal: PoolTerminal): void {
    terminal.meta = { ...terminal.meta, owner: "user", visible: true };
    this.#host?.setMeta(terminal.handle, terminal.meta);
    this.#options.log.info(`terminal ${terminal.id} promoted`);
    this.#emit("promoted", terminal);
  }

  /** A preview of what a background terminal prints, for those who are not attached. */
  announceOutput(terminal: PoolTerminal, output: string): void {
    this.#emitter.emit("event", {
      type: "terminal",
      event: "output",
      terminal: describe(terminal),
      output,
    });
  }

  /** Ends a terminal and everything in it. Resolves when nothing of it is left. */
  async close(terminal: PoolTerminal, reason: string): Promise<void> {
    const host = this.#host;
    if (terminal.life.state !== "running" || host === undefined) return terminal.finished;
    this.#options.log.info(`terminal ${terminal.id} closing: ${reason}`);
    terminal.life = { state: "closing" };
    const mark = markOf(host.welcome.instance, terminal.id);
    const signal = (name: string) => host.signal(terminal.handle, name);
    const isCommand = terminal.meta.command !== undefined;
    await endTree({ isCommand, signal, finished: terminal.finished, mark });
    return undefined;
  }

  /** From `from` on, within a credit that the reader extends. */
  read(terminal: PoolTerminal, reader: Reader, from: number, credit: number): void {
    const readers = this.#readers.get(terminal.id) ?? this.#newReaders(terminal);
    readers.read(reader, from, credit);
  }

  credit(terminal: PoolTerminal, reader: Reader, offset: number): void {
    this.#readers.get(terminal.id)?.credit(reader, offset);
  }

  unread(terminal: PoolTerminal, reader: Reader): void {
    const readers = this.#readers.get(terminal.id);
    readers?.unread(reader);
    if (readers?.isEmpty === true) this.#readers.delete(terminal.id);
  }

  /** `accept` gets what is retained at an exact place in the stream: see HostClient.fetch. */
  fetch<T>(
    terminal: PoolTerminal,
    from: number,
    most: number,
    accept: (retained: Retained) => T,
    to?: number,
  ): Promise<T> {
    if (this.#host === undefined) return Promise.reject(new Unavailable("the pty host is gone"));
    return this.#host.fetch(terminal.handle, from, most, accept, to);
  }

  /** Told by each reader once the last byte and the exit are on their way; the last one counts. */
  announceClosed(terminal: PoolTerminal): void {
    if (terminal.announced || this.#readers.has(terminal.id)) return;
    terminal.announced = true;
    this.#emit("closed", terminal);
  }

  /** What a screen needs beside the bytes: sizes and modes along the stream, the last checkpoint. */
  screenState(terminal: PoolTerminal, since: number, checkpoint: boolean): Promise<HostScreen> {
    const asked = this.#host?.screen(terminal.handle, since, checkpoint);
    if (asked !== undefined) return asked;
    // A host of before: the size is what it is now.
    const { cols, rows } = terminal;
    return this.fetch(terminal, 0, Number.MAX_SAFE_INTEGER, ({ offset: first, bytes }) => {
      const marks = [{ offset: 0, cols, rows, modes: "" }];
      return { request: 0, first, end: first + bytes.length, marks };
    });
  }

  keepScreen(terminal: PoolTerminal, checkpoint: Checkpoint): void {
    this.#host?.setCheckpoint(terminal.handle, checkpoint);
  }

  /** Types the answer to every question up to there, unless they have been answered. */
  answer(terminal: PoolTerminal, upTo: number, bytes: Uint8Array): void {
    terminal.queries = terminal.queries.filter(({ offset }) => offset > upTo);
    this.#host?.answer(terminal.handle, { upTo, bytes });
  }

  /** From the terminal pool's end to the host and back. */
  async ping(): Promise<void> {
    if (this.#host === undefined) throw new Unavailable("the pty host is gone");
    await this.#host.nudge();
  }

  #take(state: HostTerminal, host: Host, file: string): PoolTerminal | undefined {
    const terminal = fromHost(state, Date.now());
    if (terminal === undefined) return undefined;
    this.#terminals.add(terminal);
    this.#number(terminal, host);
    this.#options.log.info(`terminal ${terminal.id} created: ${file}`);
    this.#emit("created", terminal);
    return terminal;
  }

  /** One listener's bug is not the next one's silence. */
  #unfailing<Values extends unknown[]>(
    listener: (...values: Values) => void,
  ): (...values: Values) => void {
    return unfailing(this.#options.log, "a listener of the terminals", listener);
  }

  #number(terminal: PoolTerminal, host: Host): void {
    terminal.meta = { ...terminal.meta, number: this.#terminals.freeNumber };
    host.setMeta(terminal.handle, terminal.meta);
  }

  #newReaders(terminal: PoolTerminal): Readers {
    const { id, handle } = terminal;
    const readers = new Readers({
      // What an agent runs in the background waits for nobody's screen.
      read: (from, credit) =>
        this.#host?.read(handle, { from, credit, paced: terminal.meta.owner === "user" }),
      credit: (offset) => this.#host?.credit(handle, offset),
      unread: () => this.#host?.unread(handle),
    });
    this.#readers.set(id, readers);
    return readers;
  }

  #readersOf(handle: number): Readers | undefined {
    const id = this.#terminals.byHandle(handle)?.id;
    return id === undefined ? undefined : this.#readers.get(id);
  }

  #onQuery(handle: number, query: Query): void {
    const terminal = this.#terminals.byHandle(handle);
    if (terminal === undefined) return;
    terminal.queries = [...terminal.queries, query];
    this.#emitter.emit("query", terminal);
  }

  #onTitle(handle: number, raw: string): void {
    const terminal = this.#terminals.byHandle(handle);
    const title = plainTitle(raw);
    if (terminal === undefined || terminal.title === title) return;
    terminal.title = title;
    this.#emitter.emit("title", terminal);
  }

  #onExit(terminal: PoolTerminal, exit: Exit, end: number): void {
    if (terminal.life.state === "finished") return;
    terminal.life = { state: "finished", exit, end, at: Date.now() };
    terminal.end = Math.max(terminal.end, end);
    terminal.finish();
    this.#watchers.end(terminal);
    this.#options.log.info(`terminal ${terminal.id} finished: ${exit.signal ?? exit.exitCode}`);
    const readers = this.#readers.get(terminal.id);
    if (readers === undefined) this.announceClosed(terminal);
    else readers.exited(exit, end);
    this.#terminals.trim();
  }

  #onHostGone(host: Host, reason: string): void {
    if (this.#host !== host) return;
    this.#host = undefined;
    this.#options.log.error(`pty host gone: ${reason}`);
    const running = this.running();
    for (const terminal of running) {
      const { instance } = host.welcome;
      this.#readers.delete(terminal.id);
      this.#onExit(terminal, { exitCode: null, signal: null }, 0);
      sweep(markOf(instance, terminal.id));
    }
    this.#terminals.clear();
    this.onHostGone(running.length);
  }

  #emit(event: TerminalEvent["event"], terminal: PoolTerminal): void {
    const { life } = terminal;
    const exit = event === "closed" && life.state === "finished" ? { exit: life.exit } : {};
    const told: TerminalEvent = { type: "terminal", event, terminal: describe(terminal), ...exit };
    this.#emitter.emit("event", told);
  }
}

function refuse(error: string): SpawnResult {
  return { ok: false, code: "spawn_failed", error };
}
