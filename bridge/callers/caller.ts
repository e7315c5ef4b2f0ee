// Owns what all doors share: a caller at a door, with a grant that is looked up on every use. Does
// not own what a caller sends; dialects do.

import { displayName, linkName } from "../../protocol/names.ts";
import type { Role } from "../../protocol/grant.ts";
import type { Bytes } from "../../protocol/sealed/bytes.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Actor } from "../terminals/terminal-events.ts";

/**
 * people: sockets through the relay. http: requests through the relay. mcp: local agents at
 * `mcp.sock`, and MCP's own sessions. acp: coding agents, at `acp.sock` and through the relay.
 * terminal: `pairpty shell` and `attach`. control: the commands of the CLI.
 */
export type DoorName = "people" | "http" | "mcp" | "acp" | "terminal" | "control";

interface DoorKind {
  /** Whether its callers receive the events of the room. */
  readonly receivesBroadcasts: boolean;
  /**
   * Whether code that an agent runs on this machine can reach the door; requests there that widen
   * access may need the confirmation code.
   */
  readonly isLocal: boolean;
  /** Whether its callers are the host, who never has to knock and cannot be limited or removed. */
  readonly trusted: boolean;
  /** Roles of the callers that may use it. */
  readonly roles: readonly Role[];
}

export const DOORS: Readonly<Record<DoorName, DoorKind>> = {
  people: { receivesBroadcasts: true, isLocal: false, trusted: false, roles: ["view", "edit"] },
  http: {
    receivesBroadcasts: false,
    isLocal: false,
    trusted: false,
    roles: ["view", "edit", "agent"],
  },
  mcp: { receivesBroadcasts: false, isLocal: true, trusted: false, roles: ["agent"] },
  acp: { receivesBroadcasts: false, isLocal: true, trusted: false, roles: ["agent"] },
  terminal: { receivesBroadcasts: true, isLocal: true, trusted: true, roles: ["edit"] },
  control: { receivesBroadcasts: false, isLocal: true, trusted: true, roles: ["edit"] },
};

export interface Door {
  readonly name: DoorName;
  /**
   * How the door's callers prove their grant. socket: only the user's own processes can open the door.
   * ticket: callers come through a relay, and each must bring the token of its grant. session: an
   * open sealed session proved it, and the caller ends with that.
   */
  readonly proof: "socket" | "ticket" | "session";
  /** Sends the same message to several callers of this door, in as few writes as possible. */
  sendAll(callers: readonly Caller[], message: string): void;
}

/** Why the hub closes a caller. */
export interface CloseReason {
  readonly why:
    | "revoked"
    | "expired"
    | "sent away"
    | "full"
    | "knocks"
    /** The relay passed on no ticket; the client connects again. */
    | "no ticket"
    /** The ticket does not prove the grant. */
    | "unproven"
    /** The grant's role does not open this door. */
    | "wrong door"
    /** A sealed grant was used without a handshake. */
    | "sealed"
    /** A sealed message did not open; the client connects again. */
    | "unreadable"
    /** A gate failed. */
    | "internal";
  readonly message: string;
}

/** The name that a person chose, and the limit that the host set. */
export interface CallerStatus {
  readonly name?: string | undefined;
  /** Overrides the role of the link. */
  readonly limit?: "view" | undefined;
}

/** Sends records to one caller, whose handshake is confirmed. */
export interface SealedSender {
  send(message: string): void;
  /** Sends an output frame to this caller alone. */
  sendOutput(frame: Bytes): void;
  /** The digits that the host compares with a visitor's, from their handshake. */
  readonly digits: string | undefined;
}

export interface Caller {
  readonly door: Door;
  /** Unix ms. */
  readonly since: number;
  /** Stays the same after the grant has ended, for the log. A claim until the hub opens the caller. */
  readonly grantId: string;
  /** The token that the caller brought, at doors with proof by ticket. */
  readonly ticket?: string | undefined;
  /** Returns the live grant; undefined once it is revoked or expired. Never cache the result. */
  grant(): Grant | undefined;
  /** People only. Written by presence-tracker.ts and admission-rules.ts of bridge/people/ alone. */
  status?: CallerStatus | undefined;
  /** Whether the previous bridge had already admitted this caller. */
  readonly wasAdmitted?: boolean;
  /**
   * Whether the caller connected while no bridge ran, so that the previous bridge may have known it
   * and its limits.
   */
  readonly predatesBridge?: boolean;
  send(message: string): void;
  /** Set if everything that the bridge makes for this caller goes in records. */
  readonly sealed?: SealedSender | undefined;
  /** Ends the caller's connection, session or response. Called by the hub, and by doors. */
  close(reason: CloseReason): void;
}

/** The sender of a message. */
export interface Sender {
  readonly caller: Caller;
  /** Looked up once for this message; after an await, look up again with `caller.grant()`. */
  readonly grant: Grant;
}

/** Returns the grant and label by which the audit log names a caller. */
export function toAuditName(caller: Caller): { readonly grant: string; readonly label?: string } {
  const grant = caller.grant();
  const name = caller.status?.name;
  if (grant === undefined) return { grant: caller.grantId };
  return {
    grant: caller.grantId,
    label: name === undefined ? grant.label : callerDisplayName(caller),
  };
}

/** Returns everything known about a caller: the link's label, the chosen name and the door. */
export function toActor(caller: Caller): Actor {
  const grant = caller.grant();
  const name = caller.status?.name;
  return {
    grant: caller.grantId,
    label: callerDisplayName(caller),
    as: {
      label: grant === undefined ? "someone" : linkName(grant),
      ...(name === undefined ? {} : { name }),
      door: caller.door.name,
    },
  };
}

/**
 * Returns the name that others see: the chosen name with the link's label beside it. `grant`: the
 * one that was looked up for the message under way; by default it is looked up now.
 */
export function callerDisplayName(
  caller: Pick<Caller, "grant" | "status">,
  grant: Pick<Grant, "label" | "role"> | undefined = caller.grant(),
): string {
  return displayName({
    name: caller.status?.name,
    label: grant === undefined ? "someone" : linkName(grant),
  });
}
