// Owns what a room is told of grants: who may come in by the relay, and nobody else. Grants of
// connections on this machine never leave it.

import type { GrantRecord, GrantsUpdate } from "../../protocol/grant.ts";
import type { Grant, GrantEvent } from "./table.ts";

/** Everything, for a room that the bridge has just come to. */
export function grantsForRoom(grants: readonly Grant[]): GrantsUpdate {
  const add = grants.filter(({ connection }) => connection !== true).map(toRecord);
  return { replace: true, add, remove: [] };
}

/** Undefined when it is not the room's business. */
export function changeForRoom({ event, grant }: GrantEvent): GrantsUpdate | undefined {
  if (grant.connection === true) return undefined;
  return event === "granted"
    ? { replace: false, add: [toRecord(grant)], remove: [] }
    : { replace: false, add: [], remove: [grant.id] };
}

function toRecord({ id, role, scopes, label, hash, expiresAt }: Grant): GrantRecord {
  return { id, role, scopes, label, hash, expiresAt };
}
