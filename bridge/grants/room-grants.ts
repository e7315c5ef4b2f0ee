// Owns which grants a room learns about: those that may connect through the relay. Grants of
// connections on this machine never leave it.

import type { GrantsUpdate, AnnouncedGrant, Role } from "../../protocol/grant.ts";
import { getRoomRights } from "../../protocol/grant.ts";
import type { Grant, GrantEvent } from "./grant-table.ts";

/** Returns all grants, for a room that the bridge has just connected to. */
export function grantsForRoom(grants: readonly Grant[]): GrantsUpdate {
  const add = grants.filter(isForRoom).map(toRoomGrant);
  return { replace: true, add, remove: [] };
}

/** Returns the update for one event; undefined if the grant is not for the room. */
export function changeForRoom({ event, grant }: GrantEvent): GrantsUpdate | undefined {
  if (!isForRoom(grant)) return undefined;
  return event === "granted" || event === "renewed"
    ? { replace: false, add: [toRoomGrant(grant)], remove: [] }
    : { replace: false, add: [], remove: [grant.id] };
}

function isForRoom({ connection, local }: Grant): boolean {
  return connection !== true && local === undefined;
}

/** Fields that a relay of the previous version requires; it uses the role alone. */
interface ForOlderRelays {
  readonly role: Role;
  readonly scopes: readonly [];
  readonly label: "";
}

function toRoomGrant({ id, hash, expiresAt, role }: Grant): AnnouncedGrant & ForOlderRelays {
  const { doors, speaks } = getRoomRights(role);
  return { id, hash, expiresAt, doors: [...doors], speaks, role, scopes: [], label: "" };
}
