// Owns who may connect at which door, for people and HTTP. Bridges are judged by their hello.

import { CloseCode, GONE_REASONS } from "../../protocol/codes.ts";
import type { ErrorCode, GoneHow } from "../../protocol/codes.ts";
import type { RoomGrant } from "../../protocol/grant.ts";
import {
  MAX_AGENT_SOCKETS_PER_GRANT,
  MAX_PEERS,
  MAX_PEERS_PER_GRANT,
} from "../../protocol/limits.ts";
import { FAULT_SENTENCE, NO_TOKEN_SENTENCE, NO_WORKSPACE_SENTENCE } from "../edge/answers.ts";
import { refuseSocket } from "../edge/refused-socket.ts";
import type { Ticket } from "../edge/token.ts";
import type { Asked } from "../edge/room-request.ts";
import { findGrant } from "./grants.ts";

export interface RoomNow {
  readonly claimed: boolean;
  /** A bridge is connected and responds. */
  readonly isLinked: boolean;
  readonly grants: readonly RoomGrant[];
  /** Returns how a ticket's grant ended, if the room remembers it. */
  readonly howGone?: (ticket: Ticket) => GoneHow | undefined;
  readonly peers: number;
  /** Returns how many peers use this grant. */
  readonly ofGrant: (grant: string) => number;
  /** Unix ms. */
  readonly now: number;
}

/** A refusal in two forms: a close code for sockets, an error code for HTTP. */
export interface Refused {
  readonly ok: false;
  readonly close: number;
  readonly code: ErrorCode;
  readonly error: string;
}

export type Admission = { readonly ok: true; readonly grant: string } | Refused;

export const FAULT: Refused = {
  ok: false,
  close: CloseCode.internal,
  code: "internal",
  error: FAULT_SENTENCE,
};

export const BRIDGE_AWAY_SENTENCE = "This workspace's bridge is not connected.";
export const BRIDGE_SILENT_SENTENCE =
  "This workspace's bridge does not answer: its machine may be asleep.";

const DOORS = {
  peer: { name: "people", refused: "does not open a person's socket" },
  acp: { name: "acp", refused: "does not open a coding agent's socket" },
  http: { name: "http", refused: "is not for HTTP" },
} as const;

export function admit(asked: Pick<Asked, "door" | "ticket">, room: RoomNow): Admission {
  if (!room.claimed) {
    return no(CloseCode.noSuchWorkspace, "not_found", NO_WORKSPACE_SENTENCE);
  }
  const grant = findGrant(room.grants, asked.ticket, room.now);
  if (grant === undefined) {
    const how = asked.ticket && room.howGone?.(asked.ticket);
    const why = how === undefined ? NO_TOKEN_SENTENCE : GONE_REASONS[how];
    return no(CloseCode.unauthorized, "unauthorized", why);
  }
  const { name, refused } = DOORS[asked.door === "bridge" ? "http" : asked.door];
  if (!grant.doors.includes(name)) {
    return no(CloseCode.forbidden, "forbidden", `This token ${refused}.`);
  }
  if (name === "http") return { ok: true, grant: grant.id };
  // Without a bridge, an agent's request would wait forever.
  if (name === "acp" && !room.isLinked) {
    return no(CloseCode.tryLater, "bridge_away", BRIDGE_AWAY_SENTENCE);
  }
  if (room.peers >= MAX_PEERS) {
    return no(CloseCode.roomFull, "too_many", `This room has ${MAX_PEERS} people already.`);
  }
  if (name === "acp" && room.ofGrant(grant.id) >= MAX_AGENT_SOCKETS_PER_GRANT) {
    const error = `${MAX_AGENT_SOCKETS_PER_GRANT} agents are already using this token. Ask for another one.`;
    return no(CloseCode.roomFull, "too_many", error);
  }
  if (room.ofGrant(grant.id) >= MAX_PEERS_PER_GRANT) {
    return no(
      CloseCode.roomFull,
      "too_many",
      `${MAX_PEERS_PER_GRANT} people are already using this link. Ask for another one.`,
    );
  }
  return { ok: true, grant: grant.id };
}

/** Builds the answer for a refusal, with its close code for sockets. */
export function refusal({ close, code, error }: Refused): Response {
  return refuseSocket(close, code, error);
}

function no(close: number, code: ErrorCode, error: string): Admission {
  return { ok: false, close, code, error };
}
