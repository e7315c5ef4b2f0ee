// Owns what every way in has in common: a caller, at a door, with a grant that is looked up live.
// Does not know what a caller says; dialects do.

import { calledBy } from "../../protocol/names.ts";
import type { Grant } from "../grants/table.ts";
import type { Doer } from "../terminals/pool.ts";

/**
 * people: sockets through the relay. http: requests through the relay. mcp: local agents at
 * `mcp.sock`, and MCP's own sessions. acp: coding agents, at `acp.sock` and through the relay.
 * terminal: `pairpty shell` and `attach`. control: the verbs.
 */
export type DoorName = "people" | "http" | "mcp" | "acp" | "terminal" | "control";

interface DoorKind {
  /** Its callers are told what happens in the room. */
  readonly listens: boolean;
  /** An agent's code on this machine reaches it: what gives anybody more may need pairpty's code there. */
  readonly isOfThisMachine: boolean;
  /** Whoever comes in by it is the host: nobody lets them in, limits or removes them. */
  readonly isTheHosts: boolean;
}

export const DOORS: Readonly<Record<DoorName, DoorKind>> = {
  people: { listens: true, isOfThisMachine: false, isTheHosts: false },
  http: { listens: false, isOfThisMachine: false, isTheHosts: false },
  mcp: { listens: false, isOfThisMachine: true, isTheHosts: false },
  acp: { listens: false, isOfThisMachine: true, isTheHosts: false },
  terminal: { listens: true, isOfThisMachine: true, isTheHosts: true },
  control: { listens: false, isOfThisMachine: true, isTheHosts: true },
};

export interface Door {
  readonly name: DoorName;
  /** The same words to several callers of this door, in as few messages as it can. */
  tellAll(callers: readonly Caller[], message: string): void;
}

/** Why the hub sends a caller away. */
export interface Dismissal {
  readonly why: "revoked" | "expired" | "sent away" | "full" | "knocks";
  readonly sentence: string;
}

/** What a person calls itself, and what the host made of its rights. */
export interface Standing {
  readonly name?: string | undefined;
  /** Whatever its link would let it do. */
  readonly limit?: "view" | undefined;
}

export interface Caller {
  readonly door: Door;
  /** Unix ms. */
  readonly since: number;
  /** Stays the same when the grant is gone: who this was. */
  readonly grantId: string;
  /** Looked up on every call, never kept: undefined once it was revoked or has expired. */
  grant(): Grant | undefined;
  /** Of people; changed by bridge/people/visitors.ts, and by nothing else. */
  standing?: Standing | undefined;
  /** A bridge before this one had let it in. */
  readonly wasIn?: boolean;
  /** It came while this bridge was not there: a bridge before may have known it, and what it may. */
  readonly wasThere?: boolean;
  tell(message: string): void;
  /** Ends the caller's connection, session or answer. The hub calls it; a door may too. */
  close(dismissal: Dismissal): void;
}

/** A grant as a caller with this standing has it. Its link keeps its name: a limit is no View link. */
export function limited(grant: Grant, standing: Standing | undefined): Grant {
  if (standing?.limit !== "view" || grant.role !== "edit") return grant;
  return { ...grant, role: "view", label: nameOf(grant) };
}

/** How the audit log names a caller. */
export function who(caller: Caller): { readonly grant: string; readonly label?: string } {
  const grant = caller.grant();
  const name = caller.standing?.name;
  if (grant === undefined) return { grant: caller.grantId };
  return { grant: caller.grantId, label: name === undefined ? grant.label : calledOf(caller) };
}

/** The same with all that is known: the link's label, the chosen name and the door. */
export function doerOf(caller: Caller): Doer {
  const grant = caller.grant();
  const name = caller.standing?.name;
  return {
    grant: caller.grantId,
    label: calledOf(caller),
    as: {
      label: grant === undefined ? "somebody" : nameOf(grant),
      ...(name === undefined ? {} : { name }),
      door: caller.door.name,
    },
  };
}

/** How others are told whose link it is. */
export function nameOf({ label, role }: Pick<Grant, "label" | "role">): string {
  return label === "" ? `${role} link` : label;
}

/** How others are told who somebody is: a chosen name, and the link's label beside it. */
export function calledOf(caller: Pick<Caller, "grant" | "standing">): string {
  const grant = caller.grant();
  return calledBy(caller.standing?.name, grant === undefined ? "somebody" : nameOf(grant));
}
