// Owns the rows that people get about each other: one per person, who may have several pages, and
// one per person who waits.

import type { Knock, Person } from "../../protocol/room.ts";
import { linkName } from "../../protocol/names.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { PresenceTrackerDeps } from "./presence-tracker.ts";
import type { Visitor } from "./visitor.ts";
import { toVisitorId, isHost } from "./visitor.ts";

type Links = Pick<GrantSource, "lookUp">;

/** Returns one row per person; the most recently used page decides what they look at. */
export function toPersonRows(
  here: readonly Visitor[],
  links: Links,
  viewers: PresenceTrackerDeps["viewers"],
): Person[] {
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
    const looking = findViewedTerminal(last, viewers);
    const typing = visitors.map((one) => one.typing?.id).find((one) => one !== undefined);
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
    return { id: toVisitorId(visitor), ...identity, since: visitor.caller.since };
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
