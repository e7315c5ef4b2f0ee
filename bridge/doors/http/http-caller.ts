// Owns the caller behind a tunnelled HTTP request, for as long as it is served.

import type { StreamOpen } from "../../../protocol/http.ts";
import type { Caller, CloseReason, Door, CallerStatus } from "../../callers/caller.ts";
import { applyLimit } from "../../callers/caller.ts";
import type { GrantSource } from "../../callers/hub.ts";
import type { Grant } from "../../grants/grant-table.ts";

/** Broadcasts are dropped: an HTTP caller waits only for its answer. */
export const HTTP_DOOR: Door = { name: "http", proof: "ticket", sendAll: () => {} };

export class HttpCaller implements Caller {
  readonly door = HTTP_DOOR;
  readonly since = Date.now();
  readonly grantId: string;
  status: CallerStatus | undefined;
  readonly #grants: Pick<GrantSource, "lookUp">;
  readonly ticket: string | undefined;
  readonly #end: (reason: CloseReason) => void;

  constructor(
    { grant, ticket }: Pick<StreamOpen, "grant" | "ticket">,
    grants: Pick<GrantSource, "lookUp">,
    end: (reason: CloseReason) => void,
  ) {
    this.grantId = grant;
    this.ticket = ticket;
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

  close(reason: CloseReason): void {
    this.#end(reason);
  }
}
