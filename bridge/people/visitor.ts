// Owns the visitor: a caller as people see it, with the identity it sent and its activity. Also
// sending messages to a visitor.

import type { RoomServerMessage } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import { DOORS } from "../callers/caller.ts";
import { callEach } from "../faults.ts";

export interface Visitor {
  readonly caller: Caller;
  /** Peer number from the room; windows on this machine have higher numbers than any peer. */
  readonly number: number;
  /** Hash of its browser's id, once sent. */
  device: string | undefined;
  /** Terminal that its page shows, as sent by the page; undefined until sent. */
  looking: string | null | undefined;
  typing: { readonly id: string; readonly forget: () => void } | undefined;
  typedAt: number;
  /** Whether it sent a hello: clients that did not get no messages about others. */
  receivesPresence: boolean;
  /** Unix ms of its last message. */
  lastMessageAt: number;
}

/** Returns the id of the visitor's browser, or of its socket if the browser sent none. */
export function toVisitorId({ device, number, caller }: Visitor): string {
  if (device !== undefined) return device.slice(0, 8);
  return caller.door.name === "terminal" ? `local-${number - 0x8000_0000}` : `peer-${number}`;
}

/** Whether the caller is the host: at a local socket, or by the host's own link. */
export function isHost(by: Caller): boolean {
  return DOORS[by.door.name].trusted || by.grant()?.own === true;
}

/** Returns a person's key for limits; all pages of a browser are one person. */
export function toPersonKey(caller: Caller, visitor: Visitor | undefined): string {
  if (DOORS[caller.door.name].trusted) return "this machine";
  return visitor === undefined ? caller.grantId : toVisitorId(visitor);
}

export function sendMessage(caller: Caller, message: RoomServerMessage): void {
  caller.send(JSON.stringify(message));
}

/** Sends the reason, then closes the socket even if sending fails. Never throws. */
export function sendAway(visitor: Visitor, why: "turned away" | "removed", by?: string): void {
  const { caller } = visitor;
  const sentence = why === "removed" ? "the host removed you" : "this browser was not let in";
  const steps = [
    () =>
      sendMessage(caller, { type: "room:away", why, you: toVisitorId(visitor), ...(by && { by }) }),
    () => caller.close({ why: "sent away", message: sentence }),
  ];
  callEach(steps, "removing a visitor");
}
