// Converts visitors to the peers and events that a run reports.

import { applyLimit } from "../callers/permissions.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { VisitorEvent, PresenceTracker } from "../people/presence-tracker.ts";
import type { Visitor } from "../people/visitor.ts";
import { toVisitorId } from "../people/visitor.ts";
import type { Viewers } from "../viewers/viewers.ts";
import type { BridgeEvent } from "./run-options.ts";

/** A person in the relay's room or at a terminal of this machine; not those who wait for admission. */
export interface PresentPeer {
  readonly peer: number;
  readonly who: string;
  readonly name?: string;
  readonly grant: string;
  readonly joinedAt: number;
  /** Terminal ids. */
  readonly attached: string[];
}

export function listPresentPeers({
  visitors,
  viewers,
}: {
  readonly visitors: Pick<PresenceTracker, "listHere">;
  readonly viewers: Pick<Viewers, "findByCaller">;
}): PresentPeer[] {
  return visitors.listHere().flatMap((visitor) => {
    const viewer = viewers.findByCaller(visitor.caller);
    if (viewer === undefined) return [];
    const { number, joinedAt, attached } = viewer;
    return { ...toPeerIdentity(visitor), peer: number, joinedAt, attached: [...attached.keys()] };
  });
}

const EVENT_NAMES = {
  knocked: "peer_knocked",
  admitted: "peer_joined",
  named: "peer_named",
} as const;

export function toBridgeEvent(
  { event, visitor }: Exclude<VisitorEvent, { event: "changed" }>,
  grants: Pick<GrantSource, "lookUp">,
): BridgeEvent {
  const { caller, number } = visitor;
  const grant = grants.lookUp(caller.grantId);
  const { label = "" } = grant ?? {};
  const { role = "unknown" } = grant === undefined ? {} : applyLimit(grant, caller.status);
  return {
    event: EVENT_NAMES[event],
    peer: number,
    ...toPeerIdentity(visitor),
    role,
    ...(role === grant?.role ? {} : { limited: true as const }),
    label,
  };
}

function toPeerIdentity(visitor: Visitor): Pick<PresentPeer, "who" | "name" | "grant"> {
  const { caller } = visitor;
  const name = caller.status?.name;
  return {
    who: toVisitorId(visitor),
    ...(name === undefined ? {} : { name }),
    grant: caller.grantId,
  };
}
