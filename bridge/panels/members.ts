// Owns who is in which session: a connection belongs to one from the first envelope that names it,
// until it leaves. A connection is in a scope of its own besides.

import type { Caller } from "../callers/caller.ts";
import type { PanelPlace } from "./scope.ts";

/** More than a person's window shows; enough to stop a loop that makes them up. */
const MOST_SESSIONS = 64;

export class Members {
  readonly #sessions = new Map<string, Set<Caller>>();
  readonly #connections = new Map<Caller, string>();

  /** It speaks of panels; `connection` is its number in the room. */
  came(caller: Caller, connection: string): void {
    this.#connections.set(caller, connection);
  }

  /** True when it is new there. */
  join(caller: Caller, session: string): boolean {
    const members = this.#sessions.get(session) ?? new Set();
    if (members.has(caller) || this.#countOf(caller) >= MOST_SESSIONS) return false;
    this.#sessions.set(session, members.add(caller));
    return true;
  }

  /** Its number, if it ever spoke of panels. */
  left(caller: Caller): string | undefined {
    for (const [session, members] of this.#sessions) {
      if (members.delete(caller) && members.size === 0) this.#sessions.delete(session);
    }
    const connection = this.#connections.get(caller);
    this.#connections.delete(caller);
    return connection;
  }

  ended(session: string): void {
    this.#sessions.delete(session);
  }

  /** Everybody whom a panel's events are for. */
  of({ scope, scopeId }: PanelPlace): Caller[] {
    if (scope === "session") return [...(this.#sessions.get(scopeId) ?? [])];
    return [...this.#connections]
      .filter(([, connection]) => connection === scopeId)
      .map(([caller]) => caller);
  }

  #countOf(caller: Caller): number {
    return [...this.#sessions.values()].filter((members) => members.has(caller)).length;
  }
}
