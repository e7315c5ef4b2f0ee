// Owns the rows that people get about each other: one per person, who may have several pages, and
// one per person who waits.

import type { Knock, Person } from "../../protocol/room.ts";
import { nameOf } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { VisitorsParts } from "./visitors.ts";
import type { Visitor } from "./visitor.ts";
import { idOf, isHost } from "./visitor.ts";

type Links = Pick<GrantSource, "lookUp">;

/** Returns one row per person; the most recently used page decides what they look at. */
export function personRows(
  here: readonly Visitor[],
  links: Links,
  viewers: VisitorsParts["viewers"],
): Person[] {
  const byId = new Map<string, Visitor[]>();
  for (const visitor of here) {
    const id = idOf(visitor);
    byId.set(id, [...(byId.get(id) ?? []), visitor]);
  }
  return [...byId].flatMap(([id, visitors]) => {
    const last = visitors.reduce((one, other) => (other.at > one.at ? other : one));
    const facts = factsOf(last, links);
    if (facts === undefined) return [];
    const looking = looksAt(last, viewers);
    const typing = visitors.map((one) => one.typing?.id).find((one) => one !== undefined);
    return {
      id,
      ...facts,
      ...(isLimited(last, links) ? { limited: true as const } : {}),
      ...(visitors.some(({ caller }) => isHost(caller)) ? { host: true as const } : {}),
      ...(looking === undefined ? {} : { looking }),
      ...(typing === undefined ? {} : { typing }),
      since: Math.min(...visitors.map(({ caller }) => caller.since)),
    };
  });
}

export function knockRows(waiting: readonly Visitor[], links: Links): Knock[] {
  return waiting.flatMap((visitor) => {
    const facts = factsOf(visitor, links);
    if (facts === undefined) return [];
    return { id: idOf(visitor), ...facts, since: visitor.caller.since };
  });
}

function factsOf(
  { caller }: Visitor,
  links: Links,
): Pick<Person, "name" | "label" | "role"> | undefined {
  const grant = caller.grant();
  const link = links.lookUp(caller.grantId);
  if (grant === undefined || link === undefined) return undefined;
  const name = caller.standing?.name;
  return { ...(name === undefined ? {} : { name }), label: nameOf(link), role: grant.role };
}

/** Whether a limit lowers the link's role; lifting that of a View link would change nothing. */
function isLimited({ caller }: Visitor, links: Links): boolean {
  return caller.grant()?.role !== links.lookUp(caller.grantId)?.role;
}

function looksAt(
  { caller, looking }: Visitor,
  viewers: VisitorsParts["viewers"],
): string | undefined {
  if (looking !== undefined) return looking ?? undefined;
  return [...(viewers.of(caller)?.attached.keys() ?? [])].at(-1);
}
