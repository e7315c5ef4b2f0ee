// Owns which terminals exist: those of the connected pty host and the recently finished ones, what
// the host reports about them, and their live readers. Does not start, change or end them.

import type { Query } from "../../protocol/host.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { cleanTitle } from "../../protocol/names.ts";
import { logFault } from "../faults.ts";
import { formatProcessTag, sweepTag } from "../sweep.ts";
import type { HostClient } from "./host-client.ts";
import type { HostTerminal } from "./host-reports.ts";
import type { Reader } from "./readers.ts";
import { Readers } from "./readers.ts";
import { TerminalEvents } from "./terminal-events.ts";
import { TerminalTable } from "./terminal-table.ts";
import type { PoolTerminal } from "./terminal.ts";
import { describeTerminal, isCounted, toPoolTerminal } from "./terminal.ts";

/** The pty host as the pool uses it. */
export type Host = Omit<HostClient, "path">;

export abstract class LiveTerminals extends TerminalEvents {
  readonly #terminals = new TerminalTable();
  readonly #readers = new Map<string, Readers>();
  #host: Host | undefined;

  /** Returns the connected pty host, if there is one. */
  protected get host(): Host | undefined {
    return this.#host;
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
        this.activity.fire(terminal);
        this.watchers.notify(terminal);
      },
      onQuery: (handle, query) => this.#onQuery(handle, query),
      onTitle: (handle, title) => this.#onTitle(handle, title),
      onExited: (handle, exit, end) => {
        const terminal = this.#terminals.byHandle(handle);
        if (terminal !== undefined) this.#onExit(terminal, exit, end);
      },
      onClosed: (reason) => this.#onHostGone(host, reason),
      onFault: (frame, error) => logFault(this.log, `frame ${frame} of the pty host`, error),
    });
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

  /** Emits `closed` once. Each reader calls it after its last byte, unless parked. */
  announceClosed(terminal: PoolTerminal): void {
    if (terminal.announced || this.#readers.get(terminal.id)?.hasActiveReader === true) return;
    terminal.announced = true;
    this.emit("closed", terminal);
  }

  /** Adds a terminal that has just been started. */
  protected addStarted(state: HostTerminal, host: Host): PoolTerminal {
    const terminal = toPoolTerminal(state, Date.now(), true);
    this.#terminals.add(terminal);
    this.#assignNumber(terminal, host);
    return terminal;
  }

  /** Drops a finished terminal. */
  protected remove(terminal: PoolTerminal): void {
    this.#terminals.remove(terminal);
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
    this.queries.fire(terminal);
  }

  #onTitle(handle: number, raw: string): void {
    const terminal = this.#terminals.byHandle(handle);
    const title = cleanTitle(raw);
    if (terminal === undefined || terminal.title === title) return;
    terminal.title = title;
    this.titles.fire(terminal);
  }

  #onExit(terminal: PoolTerminal, exit: Exit, end: number): void {
    if (terminal.life.state === "finished") return;
    terminal.life = { state: "finished", exit, end, at: Date.now() };
    terminal.end = Math.max(terminal.end, end);
    terminal.finish();
    this.watchers.end(terminal);
    this.log.info(`terminal ${terminal.id} finished: ${exit.signal ?? exit.exitCode}`);
    this.#readers.get(terminal.id)?.onExited(exit, end);
    this.announceClosed(terminal);
    this.#terminals.trim();
  }

  #onHostGone(host: Host, reason: string): void {
    if (this.#host !== host) return;
    this.#host = undefined;
    this.log.error(`pty host gone: ${reason}`);
    const { count } = this;
    for (const terminal of this.running()) {
      const { instance } = host.welcome;
      this.#readers.delete(terminal.id);
      this.#onExit(terminal, { exitCode: null, signal: null }, 0);
      sweepTag(formatProcessTag(instance, terminal.id));
    }
    this.#terminals.clear();
    this.hostsGone.fire(count);
  }
}
