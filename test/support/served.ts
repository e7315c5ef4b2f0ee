// Owns a hub that serves one route, for that route's test: who is served is the hub's to decide.

import type { Route } from "../../bridge/callers/routes.ts";
import { Hub } from "../../bridge/callers/hub.ts";
import type { Grant } from "../../bridge/grants/grant-table.ts";
import { createLog } from "../../bridge/log.ts";
import { callerWith, createGrant } from "./caller.ts";

const NO_GRANTS = { lookUp: () => undefined, onEvent: () => () => {} };

/** Asks by a link or token of that role, as the door at HTTP would. */
export function served(route: Route) {
  const hub = new Hub(
    NO_GRANTS,
    createLog("silent", () => {}),
  );
  hub.registerRoute(route);
  return async (role: Grant["role"], path: string, init: RequestInit = {}): Promise<Response> => {
    const caller = callerWith(createGrant("g", { role }), "http");
    const leave = hub.open(caller);
    const answer = await hub.request(caller, new Request(`http://bridge${path}`, init));
    leave();
    return answer ?? new Response(null, { status: 404 });
  };
}
