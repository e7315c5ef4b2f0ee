// Owns which connections are in which session: a connection joins with the first envelope that names
// the session, and stays until it disconnects. Each connection also has its own scope.

import type { Caller } from "../callers/caller.ts";
import type { PanelAddress } from "./panel-address.ts";

/** More than one person's window shows; stops a client that invents sessions in a loop. */
const MAX_SESSIONS = 64;

export class SessionMembers {
  readonly #sessions = new Map<string, Set<Caller>>();
  readonly #connections = new Map<Caller, string>();

  /** Registers a caller that uses panels; `connection` is its peer number in the room. */
  addCaller(caller: Caller, connection: string): void {
    this.#connections.set(caller, connection);
  }

  /** Adds the caller to the session; returns true if it was not in it before. */
  join(caller: Caller, session: string): boolean {
    const members = this.#sessions.get(session) ?? new Set();
    if (members.has(caller) || this.#countSessions(caller) >= MAX_SESSIONS) return false;
    this.#sessions.set(session, members.add(caller));
    return true;
  }

  /** Removes the caller; returns its peer number if it ever used panels. */
  removeCaller(caller: Caller): string | undefined {
    for (const [session, members] of this.#sessions) {
      if (members.delete(caller) && members.size === 0) this.#sessions.delete(session);
    }
    const connection = this.#connections.get(caller);
    this.#connections.delete(caller);
    return connection;
  }

  endSession(session: string): void {
    this.#sessions.delete(session);
  }

  /** Returns the callers that receive a panel's events. */
  listFor({ scope, scopeId }: PanelAddress): Caller[] {
    if (scope === "session") return [...(this.#sessions.get(scopeId) ?? [])];
    return [...this.#connections]
      .filter(([, connection]) => connection === scopeId)
      .map(([caller]) => caller);
  }

  #countSessions(caller: Caller): number {
    return [...this.#sessions.values()].filter((members) => members.has(caller)).length;
  }
}
