// Owns what the pty host reports: the terminals that it already had, and events. Keeps what comes
// before the pool listens. Does not read frames.

import type { Gap, Query, TerminalState } from "../../protocol/host.ts";
import type { Output } from "../../protocol/output.ts";
import type { Exit } from "../../protocol/terminal.ts";

export interface HostTerminal extends TerminalState {
  readonly handle: number;
}

export interface HostEvents {
  /** Fires on output. The bytes are lent: see the output's lease. */
  onOutput(handle: number, output: Output): void;
  onGap(handle: number, gap: Gap): void;
  onActivity(handle: number, end: number): void;
  onExited(handle: number, exit: Exit, end: number): void;
  /** Fires when the program queries its terminal. */
  onQuery(handle: number, query: Query): void;
  /** Fires when the program's title changes. */
  onTitle(handle: number, title: string): void;
  /** Fires when the socket closes; its terminals are lost unless a host still runs. */
  onClosed(reason: string): void;
  /** Fires when the handler of a frame threw, which is a bug. Reading continues. */
  onFault(frame: number, error: unknown): void;
}

export class HostReports {
  readonly #found: HostTerminal[] = [];
  readonly #earlyQueries: { readonly handle: number; readonly query: Query }[] = [];
  #earlyCloseReason: string | undefined;
  #listener: HostEvents | undefined;

  /** Returns the terminals that existed when this bridge connected. */
  get found(): readonly HostTerminal[] {
    return this.#found;
  }

  get listener(): HostEvents | undefined {
    return this.#listener;
  }

  /** Subscribes to the events; allowed once. */
  listen(events: HostEvents): void {
    if (this.#listener !== undefined) throw new Error("this pty host already has a listener");
    this.#listener = events;
    // Fires after `listen` has returned: the pool still handles the found terminals.
    const gone = this.#earlyCloseReason;
    if (gone !== undefined) queueMicrotask(() => events.onClosed(gone));
    for (const { handle, query } of this.#earlyQueries.splice(0)) events.onQuery(handle, query);
  }

  addFound(terminal: HostTerminal): void {
    this.#found.push(terminal);
  }

  onExited(handle: number, exit: Exit, end: number): void {
    if (this.#listener !== undefined) this.#listener.onExited(handle, exit, end);
    // The bridge is still starting: it will adopt a finished terminal.
    else this.#update(handle, { exit, end });
  }

  onQuery(handle: number, query: Query): void {
    if (this.#listener === undefined) this.#earlyQueries.push({ handle, query });
    else this.#listener.onQuery(handle, query);
  }

  onTitle(handle: number, title: string): void {
    if (this.#listener !== undefined) this.#listener.onTitle(handle, title);
    else this.#update(handle, { title });
  }

  onClosed(reason: string): void {
    if (this.#listener === undefined) this.#earlyCloseReason = reason;
    else this.#listener.onClosed(reason);
  }

  /** Updates a found terminal, before `listen`. */
  #update(handle: number, news: Partial<HostTerminal>): void {
    const found = this.#found.find((terminal) => terminal.handle === handle);
    if (found !== undefined) Object.assign(found, news);
  }
}
