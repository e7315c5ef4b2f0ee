// Owns the caller behind a tunnelled HTTP request, for as long as it is served.

import type { Caller, CloseReason, Door, CallerStatus } from "../../callers/caller.ts";
import { applyLimit } from "../../callers/caller.ts";
import type { GrantSource } from "../../callers/hub.ts";
import type { Grant } from "../../grants/grant-table.ts";

/** Broadcasts are dropped: an HTTP caller waits only for its answer. */
export const HTTP_DOOR: Door = { name: "http", sendAll: () => {} };

export class HttpCaller implements Caller {
  readonly door = HTTP_DOOR;
  readonly since = Date.now();
  readonly grantId: string;
  status: CallerStatus | undefined;
  readonly #grants: Pick<GrantSource, "lookUp">;
  readonly #end: (reason: string) => void;

  constructor(grantId: string, grants: Pick<GrantSource, "lookUp">, end: (reason: string) => void) {
    this.grantId = grantId;
    this.#grants = grants;
    this.#end = end;
  }

  grant(): Grant | undefined {
    const grant = this.#grants.lookUp(this.grantId);
    return grant === undefined ? undefined : applyLimit(grant, this.status);
  }

  send(): void {
    // An HTTP caller gets only its answer.
  }

  close({ message: reason }: CloseReason): void {
    this.#end(reason);
  }
}
