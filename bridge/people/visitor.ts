// Owns what a visitor is: a caller as people know it, with who it said that it is and what it does. And
// how one of them is told something.

import type { RoomServerMessage } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import { DOORS } from "../callers/caller.ts";
import { callEach } from "../faults.ts";

export interface Visitor {
  readonly caller: Caller;
  /** Of the room; above every other for terminals of this machine. */
  readonly number: number;
  /** The hash of its browser's id, once it has said it. */
  device: string | undefined;
  /** What it said that it shows; undefined until it has. */
  looking: string | null | undefined;
  typing: { readonly id: string; readonly forget: () => void } | undefined;
  typedAt: number;
  /** It has said hello: a client that does not is told nothing of others unasked. */
  listens: boolean;
  /** Of its last word. */
  at: number;
}

/** Of its browser; of its socket where that was not said. */
export function idOf({ device, number, caller }: Visitor): string {
  if (device !== undefined) return device.slice(0, 8);
  return caller.door.name === "terminal" ? `local-${number - 0x8000_0000}` : `peer-${number}`;
}

/** At a socket of this machine, or by the link that the first screen shows for the host alone. */
export function isHost(by: Caller): boolean {
  return DOORS[by.door.name].isTheHosts || by.grant()?.own === true;
}

/** Whom a limit counts: a browser with all its pages is one person, and so is whoever is at this machine. */
export function personOf(caller: Caller, visitor: Visitor | undefined): string {
  if (DOORS[caller.door.name].isTheHosts) return "this machine";
  return visitor === undefined ? caller.grantId : idOf(visitor);
}

export function say(caller: Caller, message: RoomServerMessage): void {
  caller.tell(JSON.stringify(message));
}

/** Tells a caller why, then closes its socket, also where telling fails. Throws nothing. */
export function sendAway(visitor: Visitor, why: "turned away" | "removed", by?: string): void {
  const { caller } = visitor;
  const sentence = why === "removed" ? "the host removed you" : "this browser was not let in";
  const steps = [
    () => say(caller, { type: "room:away", why, you: idOf(visitor), ...(by && { by }) }),
    () => caller.close({ why: "sent away", sentence }),
  ];
  callEach(steps, "sending somebody away");
}
