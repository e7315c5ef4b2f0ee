// Converts visitors to the peers and events that a run reports.

import { limited } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import type { VisitorEvent, Visitors } from "../people/visitors.ts";
import type { Visitor } from "../people/visitor.ts";
import { idOf } from "../people/visitor.ts";
import type { Viewers } from "../viewers/viewers.ts";
import type { BridgeEvent } from "./events.ts";

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

export function personsIn({
  visitors,
  viewers,
}: {
  readonly visitors: Pick<Visitors, "here">;
  readonly viewers: Pick<Viewers, "of">;
}): PresentPeer[] {
  return visitors.here().flatMap((visitor) => {
    const viewer = viewers.of(visitor.caller);
    if (viewer === undefined) return [];
    const { number, joinedAt, attached } = viewer;
    return { ...knownOf(visitor), peer: number, joinedAt, attached: [...attached.keys()] };
  });
}

const EVENTS = { knocked: "peer_knocked", admitted: "peer_joined", named: "peer_named" } as const;

export function personEvent(
  { event, visitor }: Exclude<VisitorEvent, { event: "changed" }>,
  grants: Pick<GrantSource, "lookUp">,
): BridgeEvent {
  const { caller, number } = visitor;
  const grant = grants.lookUp(caller.grantId);
  const { label = "" } = grant ?? {};
  const { role = "unknown" } = grant === undefined ? {} : limited(grant, caller.standing);
  return {
    event: EVENTS[event],
    peer: number,
    ...knownOf(visitor),
    role,
    ...(role === grant?.role ? {} : { limited: true as const }),
    label,
  };
}

function knownOf(visitor: Visitor): Pick<PresentPeer, "who" | "name" | "grant"> {
  const { caller } = visitor;
  const name = caller.standing?.name;
  return { who: idOf(visitor), ...(name === undefined ? {} : { name }), grant: caller.grantId };
}
