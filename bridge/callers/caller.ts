// Owns what every way in has in common: a caller, at a door, with a grant that is looked up live.
// Does not know what a caller says; dialects do.

import type { Grant } from "../grants/table.ts";

/**
 * people: sockets through the relay. http: requests through the relay. mcp: local agents at
 * `mcp.sock`, and MCP's own sessions. acp: coding agents, at `acp.sock` and through the relay.
 * terminal: `pairpty shell` and `attach`. control: the verbs.
 */
export type DoorName = "people" | "http" | "mcp" | "acp" | "terminal" | "control";

export interface Door {
  readonly name: DoorName;
  /** The same words to several callers of this door, in as few messages as it can. */
  tellAll(callers: readonly Caller[], message: string): void;
}

/** Why the hub sends a caller away. */
export interface Dismissal {
  readonly why: "revoked" | "expired";
  readonly sentence: string;
}

export interface Caller {
  readonly door: Door;
  /** Unix ms. */
  readonly since: number;
  /** Stays the same when the grant is gone: who this was. */
  readonly grantId: string;
  /** Looked up on every call, never kept: undefined once it was revoked or has expired. */
  grant(): Grant | undefined;
  tell(message: string): void;
  /** Ends the caller's connection, session or answer. The hub calls it; a door may too. */
  close(dismissal: Dismissal): void;
}

/** How the audit log names a caller. */
export function who(caller: Caller): { readonly grant: string; readonly label?: string } {
  const label = caller.grant()?.label;
  return { grant: caller.grantId, ...(label === undefined ? {} : { label }) };
}

/** How others are told who somebody is. */
export function nameOf({ label, role }: Pick<Grant, "label" | "role">): string {
  return label === "" ? `${role} link` : label;
}
