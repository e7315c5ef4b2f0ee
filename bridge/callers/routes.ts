// Owns the HTTP paths that dialects serve: which route a request takes, and the right that it needs.
// Whether the caller is admitted at all is the hub's to check.

import type { Caller } from "./caller.ts";
import { errorResponse } from "./json-response.ts";
import type { RouteAccess } from "./permissions.ts";
import { routeDenial } from "./permissions.ts";

/** A path served over HTTP, to people and to agents. */
export interface Route {
  readonly path: string;
  /** Whether the route also serves all paths below. */
  readonly includesSubpaths?: true;
  /**
   * Right that a request needs; without it the answer is `forbidden`, before any of the body is
   * read. Required, because a route that forgot it would be open to every agent.
   */
  readonly requires: RouteAccess | ((request: Request) => RouteAccess);
  serve(caller: Caller, request: Request): Promise<Response>;
}

export class Routes {
  readonly #routes = new Set<Route>();

  /** Registers a route; returns its removal. Throws if its path overlaps with another route. */
  register(route: Route): () => void {
    for (const one of this.#routes) {
      if (matchesPath(one, route.path) || matchesPath(route, one.path)) {
        throw new Error(`the path ${route.path} already has a route`);
      }
    }
    this.#routes.add(route);
    return () => void this.#routes.delete(route);
  }

  /** Serves a request; undefined if the path has no route. */
  async serve(caller: Caller, request: Request): Promise<Response | undefined> {
    const { pathname } = new URL(request.url);
    const route = [...this.#routes].find((one) => matchesPath(one, pathname));
    if (route === undefined) return undefined;
    const { requires } = route;
    const need = typeof requires === "function" ? requires(request) : requires;
    const denial = routeDenial(caller, need);
    return denial === undefined
      ? await route.serve(caller, request)
      : errorResponse("forbidden", denial);
  }
}

function matchesPath({ path, includesSubpaths }: Route, pathname: string): boolean {
  return pathname === path || (includesSubpaths === true && pathname.startsWith(`${path}/`));
}
