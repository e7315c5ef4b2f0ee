// Resolves which panel an operation or tool addresses, by id or by last use. Pure state. Owns a
// panel's identity: its id within a scope, which is a session shared by several connections, or one
// connection. Owns which connections are in which session: a connection joins with the first
// envelope that names the session, and stays until it disconnects.

import * as z from "zod/mini";
import type { PanelErrorCode } from "../../protocol/panel.ts";
import type { Caller } from "../callers/caller.ts";

export interface PanelTarget {
  readonly panelId?: string | undefined;
  readonly sessionId?: string | undefined;
}

export type TargetResult =
  | { readonly ok: true; readonly place: PanelAddress }
  | { readonly ok: false; readonly code: PanelErrorCode; readonly error: string };

export class PanelTargets {
  /** Keyed by panel, least recently used first. */
  readonly #used = new Map<string, PanelAddress>();

  /** Marks a panel as opened or written to. */
  markUsed(address: PanelAddress): void {
    const key = toPanelKey(address);
    this.#used.delete(key);
    this.#used.set(key, address);
  }

  remove(address: PanelAddress): void {
    this.#used.delete(toPanelKey(address));
  }

  /** Finds the target; `running` are the panels that have a terminal now. */
  find({ panelId, sessionId }: PanelTarget, running: readonly PanelAddress[]): TargetResult {
    const inSession = (address: PanelAddress) =>
      sessionId === undefined || findSessionId(address) === sessionId;
    if (panelId === undefined) {
      const active = [...this.#used.values()].findLast(inSession);
      return active === undefined ? NO_ACTIVE_PANEL : { ok: true, place: active };
    }
    const named = running.filter((address) => address.panelId === panelId && inSession(address));
    const [only, ...others] = named;
    if (only === undefined) {
      const error = `Panel ${panelId} has no running terminal; open it first`;
      return { ok: false, code: "terminal_not_ready", error };
    }
    if (others.length > 0) {
      const error = `Panel ${panelId} is open in ${named.length} scopes; name its sessionId`;
      return { ok: false, code: "invalid_arguments", error };
    }
    return { ok: true, place: only };
  }
}

const NO_ACTIVE_PANEL: TargetResult = {
  ok: false,
  code: "terminal_not_found",
  error: "No panelId was given and no panel is active; open one or give a panelId",
};

/** Stored in the terminal's metadata, so that the next bridge knows it too. */
export const PanelAddress = z.object({
  panelId: z.string(),
  scope: z.enum(["session", "connection"]),
  /** The session's id, or the connection's peer number. */
  scopeId: z.string(),
});
export type PanelAddress = z.infer<typeof PanelAddress>;

export function toPanelKey({ scope, scopeId, panelId }: PanelAddress): string {
  return `${scope}:${scopeId}::${panelId}`;
}

export function findSessionId({ scope, scopeId }: PanelAddress): string | undefined {
  return scope === "session" ? scopeId : undefined;
}

// Owns which connections are in which session: a connection joins with the first envelope that
// names the session, and stays until it disconnects. Each connection also has its own scope.

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
