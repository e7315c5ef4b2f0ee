// Owns who may connect at which door, for people and HTTP. Bridges are judged by their hello.

import { CloseCode, LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import type { ErrorCode, LinkEndedReason } from "../../protocol/codes.ts";
import type { RoomGrant } from "../../protocol/grant.ts";
import {
  MAX_AGENT_SOCKETS_PER_GRANT,
  MAX_PEERS,
  MAX_PEERS_PER_GRANT,
} from "../../protocol/limits.ts";
import {
  INTERNAL_ERROR_MESSAGE,
  NO_TOKEN_MESSAGE,
  NO_WORKSPACE_MESSAGE,
  refuseSocket,
} from "../edge/error-responses.ts";
import type { Ticket } from "../edge/token.ts";
import type { RoomRequestInfo } from "../edge/room-request.ts";
import { findGrant } from "./grants.ts";

export interface RoomState {
  readonly claimed: boolean;
  /** A bridge is connected and responds. */
  readonly isLinked: boolean;
  readonly grants: readonly RoomGrant[];
  /** Returns how a ticket's grant ended, if the room remembers it. */
  readonly findEnd?: (ticket: Ticket) => LinkEndedReason | undefined;
  readonly peers: number;
  /** Returns how many peers use this grant. */
  readonly countByGrant: (grant: string) => number;
  /** Unix ms. */
  readonly now: number;
}

/** A refusal in two forms: a close code for sockets, an error code for HTTP. */
export interface RoomRefusal {
  readonly ok: false;
  readonly close: number;
  readonly code: ErrorCode;
  readonly error: string;
}

export type Admission =
  | { readonly ok: true; readonly grant: string; readonly ticket: string }
  | RoomRefusal;

export const INTERNAL_ERROR: RoomRefusal = {
  ok: false,
  close: CloseCode.internal,
  code: "internal",
  error: INTERNAL_ERROR_MESSAGE,
};

export const BRIDGE_AWAY_MESSAGE = "This workspace's bridge is not connected.";
export const BRIDGE_SILENT_MESSAGE =
  "This workspace's bridge does not answer: its machine may be asleep.";

const DOORS = {
  peer: { name: "people", refused: "does not open a person's socket" },
  acp: { name: "acp", refused: "does not open a coding agent's socket" },
  http: { name: "http", refused: "is not for HTTP" },
} as const;

export function admit(info: Pick<RoomRequestInfo, "door" | "ticket">, room: RoomState): Admission {
  if (!room.claimed) {
    return deny(CloseCode.noSuchWorkspace, "not_found", NO_WORKSPACE_MESSAGE);
  }
  const { ticket } = info;
  const grant = findGrant(room.grants, ticket, room.now);
  if (ticket === undefined || grant === undefined) {
    const ended = ticket && room.findEnd?.(ticket);
    const why = ended === undefined ? NO_TOKEN_MESSAGE : LINK_ENDED_REASONS[ended];
    return deny(CloseCode.unauthorized, "unauthorized", why);
  }
  const { name, refused } = DOORS[info.door === "bridge" ? "http" : info.door];
  if (!grant.doors.includes(name)) {
    return deny(CloseCode.forbidden, "forbidden", `This token ${refused}.`);
  }
  const admitted = { ok: true, grant: grant.id, ticket: ticket.token } as const;
  if (name === "http") return admitted;
  // Without a bridge, an agent's request would wait forever.
  if (name === "acp" && !room.isLinked) {
    return deny(CloseCode.tryLater, "bridge_away", BRIDGE_AWAY_MESSAGE);
  }
  if (room.peers >= MAX_PEERS) {
    return deny(CloseCode.roomFull, "too_many", `This room has ${MAX_PEERS} people already.`);
  }
  if (name === "acp" && room.countByGrant(grant.id) >= MAX_AGENT_SOCKETS_PER_GRANT) {
    const error = `${MAX_AGENT_SOCKETS_PER_GRANT} agents are already using this token. Ask for another one.`;
    return deny(CloseCode.roomFull, "too_many", error);
  }
  if (room.countByGrant(grant.id) >= MAX_PEERS_PER_GRANT) {
    return deny(
      CloseCode.roomFull,
      "too_many",
      `${MAX_PEERS_PER_GRANT} people are already using this link. Ask for another one.`,
    );
  }
  return admitted;
}

/** Builds the answer for a refusal, with its close code for sockets. */
export function toRefusalResponse({ close, code, error }: RoomRefusal): Response {
  return refuseSocket(close, code, error);
}

function deny(close: number, code: ErrorCode, error: string): Admission {
  return { ok: false, close, code, error };
}
