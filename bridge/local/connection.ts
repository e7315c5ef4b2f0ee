// Owns the grant of a connection on this machine: each has one of its own for as long as it lasts,
// and whichever of the two ends first ends the other.

import type { Socket } from "node:net";
import type { Grant, GrantTable, NewGrant } from "../grants/table.ts";

export type ConnectionGrants = Pick<GrantTable, "mint" | "revoke" | "onEvent">;

/** `farewell` is said to whoever is connected when the grant ends; then the connection is cut. */
export function grantConnection(
  socket: Socket,
  grants: ConnectionGrants,
  wish: Pick<NewGrant, "role" | "scopes" | "label">,
  farewell: () => void = () => {},
): Grant {
  const { grant } = grants.mint({ ...wish, expiresAt: null, session: true, connection: true });
  const unsubscribe = grants.onEvent(({ event, grant: { id } }) => {
    if (id !== grant.id || event === "granted") return;
    if (!socket.destroyed) farewell();
    // Not ended: whoever reads nothing would stay.
    socket.destroy();
  });
  socket.once("close", () => {
    unsubscribe();
    grants.revoke(grant.id);
  });
  return grant;
}
