// Owns the events of terminals: who subscribed, and how an event describes its terminal. Does not
// know which terminals exist, nor what causes an event.

import type { TerminalEvent } from "../../protocol/terminal.ts";
import { Emitter } from "../emitter.ts";
import { logErrors } from "../faults.ts";
import type { Log } from "../log.ts";
import { Watchers } from "./terminal-table.ts";
import type { Meta, PoolTerminal } from "./terminal.ts";
import { describeTerminal } from "./terminal.ts";

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

/** The base of the pool: everyone subscribes, only the pool fires. */
export abstract class TerminalEvents {
  protected readonly log: Log;
  protected readonly changes = new Emitter<[TerminalChange]>();
  protected readonly activity = new Emitter<[PoolTerminal]>();
  protected readonly queries = new Emitter<[PoolTerminal]>();
  protected readonly titles = new Emitter<[PoolTerminal]>();
  protected readonly sizes = new Emitter<[PoolTerminal]>();
  protected readonly hostsGone = new Emitter<[number]>();
  protected readonly watchers = new Watchers<PoolTerminal>();
  readonly #events = new Emitter<[TerminalEvent, before?: Meta]>();

  constructor(log: Log) {
    this.log = log;
  }

  /** Fires for every `TerminalEvent`, in order. */
  onEvent(listener: (event: TerminalEvent, before?: Meta) => void): () => void {
    return this.#events.add(this.#logErrors(listener));
  }

  /** Fires when a terminal's metadata changed. */
  onChange(listener: (change: TerminalChange) => void): () => void {
    return this.changes.add(this.#logErrors(listener));
  }

  /** Fires on input or output, at most a few times a second per terminal. */
  onActivity(listener: (terminal: PoolTerminal) => void): () => void {
    return this.activity.add(this.#logErrors(listener));
  }

  /** Fires when a program queries its terminal; the query is in `queries` until it is answered. */
  onQuery(listener: (terminal: PoolTerminal) => void): () => void {
    return this.queries.add(this.#logErrors(listener));
  }

  /** Fires when the program's title changed, at most twice a second per terminal. */
  onTitle(listener: (terminal: PoolTerminal) => void): () => void {
    return this.titles.add(this.#logErrors(listener));
  }

  /** Fires on resize, before the program gets SIGWINCH. */
  onSize(listener: (terminal: PoolTerminal) => void): () => void {
    return this.sizes.add(this.#logErrors(listener));
  }

  /** Calls `listener` on activity and at the end of one terminal; returns an unsubscriber. */
  watch(terminal: PoolTerminal, listener: () => void): () => void {
    return this.watchers.watch(terminal, this.#logErrors(listener));
  }

  /** Returns the number of `watch` subscriptions. */
  get watcherCount(): number {
    return this.watchers.count;
  }

  /** Fires when the pty host is gone, after `closed` of its terminals; with the number that ran. */
  onHostGone(listener: (ended: number) => void): () => void {
    return this.hostsGone.add(this.#logErrors(listener));
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

  protected emit(event: TerminalEvent["event"], terminal: PoolTerminal, before?: Meta): void {
    const { life } = terminal;
    const isClosed = event === "closed";
    const exit = isClosed && life.state === "finished" ? { exit: life.exit } : {};
    const { closeReason, closedBy: by } = terminal;
    const isOnPurpose = isClosed && closeReason !== undefined;
    const purpose = isOnPurpose ? { onPurpose: true, ...(by === undefined ? {} : { by }) } : {};
    const base = { type: "terminal", event, terminal: describeTerminal(terminal) } as const;
    this.#events.fire({ ...base, ...exit, ...purpose }, before);
  }

  /** Wraps a listener: a throwing listener must not stop the others. */
  #logErrors<Values extends unknown[]>(
    listener: (...values: Values) => void,
  ): (...values: Values) => void {
    return logErrors(this.log, "a listener of the terminals", listener);
  }
}
