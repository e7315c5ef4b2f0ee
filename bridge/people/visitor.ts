// Owns the visitor: a caller as people see it, with the identity it sent and its activity. Also
// sending messages to a visitor. Also owns the rows that people get about each other: one per
// person, who may have several pages, and one per person who waits.

import { linkName } from "../../protocol/names.ts";
import type { RoomServerMessage, Knock, Person } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import { DOORS } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import { canSee } from "../callers/permissions.ts";
import { callEach } from "../faults.ts";
import type { PresenceTrackerDeps } from "./presence-tracker.ts";

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

type Links = Pick<GrantSource, "lookUp">;

/**
 * Returns one row per person; the most recently used page decides what they look at. A row names
 * only terminals that its person may see: a page sends what its tab is, not what it gets.
 */
export function toPersonRows(
  here: readonly Visitor[],
  {
    grants: links,
    viewers,
    terminal,
  }: Pick<PresenceTrackerDeps, "grants" | "viewers" | "terminal">,
): Person[] {
  const isVisible = ({ caller }: Visitor, id: string): boolean => {
    const [grant, meta] = [caller.grant(), terminal(id)?.meta];
    return grant !== undefined && meta !== undefined && canSee(grant, meta);
  };
  const byId = new Map<string, Visitor[]>();
  for (const visitor of here) {
    const id = toVisitorId(visitor);
    byId.set(id, [...(byId.get(id) ?? []), visitor]);
  }
  return [...byId].flatMap(([id, visitors]) => {
    const last = visitors.reduce((one, other) =>
      other.lastMessageAt > one.lastMessageAt ? other : one,
    );
    const identity = findIdentity(last, links);
    if (identity === undefined) return [];
    const viewed = findViewedTerminal(last, viewers);
    const looking = viewed !== undefined && isVisible(last, viewed) ? viewed : undefined;
    const typing = visitors.find((one) => one.typing && isVisible(one, one.typing.id))?.typing?.id;
    return {
      id,
      ...identity,
      ...(isLimited(last, links) ? { limited: true as const } : {}),
      ...(visitors.some(({ caller }) => isHost(caller)) ? { host: true as const } : {}),
      ...(looking === undefined ? {} : { looking }),
      ...(typing === undefined ? {} : { typing }),
      since: Math.min(...visitors.map(({ caller }) => caller.since)),
    };
  });
}

export function toKnockRows(waiting: readonly Visitor[], links: Links): Knock[] {
  return waiting.flatMap((visitor) => {
    const identity = findIdentity(visitor, links);
    if (identity === undefined) return [];
    const digits = visitor.caller.sealed?.digits;
    return {
      id: toVisitorId(visitor),
      ...identity,
      since: visitor.caller.since,
      ...(digits === undefined ? {} : { digits }),
    };
  });
}

function findIdentity(
  { caller }: Visitor,
  links: Links,
): Pick<Person, "name" | "label" | "role"> | undefined {
  const grant = caller.grant();
  const link = links.lookUp(caller.grantId);
  if (grant === undefined || link === undefined) return undefined;
  const name = caller.status?.name;
  return { ...(name === undefined ? {} : { name }), label: linkName(link), role: grant.role };
}

/** Whether a limit lowers the link's role; for a View link, lifting it would change nothing. */
function isLimited({ caller }: Visitor, links: Links): boolean {
  return caller.grant()?.role !== links.lookUp(caller.grantId)?.role;
}

function findViewedTerminal(
  { caller, looking }: Visitor,
  viewers: PresenceTrackerDeps["viewers"],
): string | undefined {
  if (looking !== undefined) return looking ?? undefined;
  return [...(viewers.findByCaller(caller)?.attached.keys() ?? [])].at(-1);
}
