// Owns what a room is told of grants: who may come in by the relay, and nobody else. Grants of
// connections on this machine never leave it.

import type { GrantsUpdate, GrantTold, Role } from "../../protocol/grant.ts";
import { rightsOf } from "../../protocol/grant.ts";
import type { Grant, GrantEvent } from "./table.ts";

/** Everything, for a room that the bridge has just come to. */
export function grantsForRoom(grants: readonly Grant[]): GrantsUpdate {
  const add = grants.filter(isForRoom).map(tellable);
  return { replace: true, add, remove: [] };
}

/** Undefined when it is not the room's business. */
export function changeForRoom({ event, grant }: GrantEvent): GrantsUpdate | undefined {
  if (!isForRoom(grant)) return undefined;
  return event === "granted" || event === "renewed"
    ? { replace: false, add: [tellable(grant)], remove: [] }
    : { replace: false, add: [], remove: [grant.id] };
}

function isForRoom({ connection, local }: Grant): boolean {
  return connection !== true && local === undefined;
}

/** What a relay of the version before reads: it wants all of these, and uses the role alone. */
interface ForOlderRelays {
  readonly role: Role;
  readonly scopes: readonly [];
  readonly label: "";
}

function tellable({ id, hash, expiresAt, role }: Grant): GrantTold & ForOlderRelays {
  const { doors, speaks } = rightsOf(role);
  return { id, hash, expiresAt, doors: [...doors], speaks, role, scopes: [], label: "" };
}
