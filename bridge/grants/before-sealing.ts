// Owns the end of people's plain links in a room that is sealed for the first time: links and
// remembered browsers from before. The table keeps them as retired, so that whoever opens one gets
// the reason; a later start without sealing drops them. Agents' tokens stay valid.

import type { Grant, GrantTable } from "./grant-table.ts";

/** Most links that the notice names. */
const MAX_NAMED = 8;

/** Whether the grant passes the relay in the clear, although its room is sealed. */
export function isReadableByRelay({ psk, connection, local, retired }: Grant): boolean {
  return psk === undefined && retired !== true && connection !== true && local === undefined;
}

/** Whether it is a person's link that was made before its room was sealed. */
export function isFromBefore(grant: Grant): boolean {
  const isPeoples = grant.role !== "agent";
  return isPeoples && grant.plain !== true && (isReadableByRelay(grant) || grant.retired === true);
}

/**
 * Retires the links from before if the room is sealed, else drops those retired earlier. Returns
 * the notice about links that ended now; undefined if there are none.
 */
export function settleLinksFromBefore(
  grants: Pick<GrantTable, "list" | "retire" | "dropRetired">,
  isSealed: boolean,
): string | undefined {
  if (!isSealed) {
    grants.dropRetired();
    return undefined;
  }
  const all = grants.list();
  const ended = all.filter((grant) => isFromBefore(grant) && grant.retired !== true);
  if (ended.length === 0) return undefined;
  grants.retire(ended.map(({ id }) => id));
  const agents = all.filter((grant) => grant.role === "agent" && isReadableByRelay(grant));
  return formatEnded(ended, agents.length);
}

function formatEnded(ended: readonly Grant[], agents: number): string {
  const browsers = ended.filter(({ device }) => device !== undefined).length;
  const links = ended.length - browsers;
  const counts = [
    ...(links === 0 ? [] : [countNoun(links, "link")]),
    ...(browsers === 0 ? [] : [countNoun(browsers, "remembered browser")]),
  ];
  const named = ended.slice(0, MAX_NAMED).map(({ id, role, label }) => {
    const whose = label === "" ? "" : `${label}, `;
    return `${id} (${whose}${role})`;
  });
  const others = ended.length - named.length;
  const list = [...named, ...(others === 0 ? [] : [`${others} more`])].join(", ");
  const verb = ended.length === 1 ? "has" : "have";
  const agentsNote =
    agents === 0
      ? ""
      : ` ${countNoun(agents, "agent token")} still ${agents === 1 ? "works" : "work"}, readable by the relay.`;
  return `This workspace is end-to-end encrypted now, so ${counts.join(" and ")} from before ${verb} ended: ${list}. \`pairpty share\` makes new links.${agentsNote}`;
}

function countNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
