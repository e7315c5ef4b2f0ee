// Owns the caller behind a tunnelled HTTP request, for as long as it is served.

import type { Caller, Dismissal, Door, Standing } from "../../callers/caller.ts";
import { limited } from "../../callers/caller.ts";
import type { GrantSource } from "../../callers/hub.ts";
import type { Grant } from "../../grants/table.ts";

/** Broadcasts are dropped: an HTTP caller waits only for its answer. */
export const HTTP_DOOR: Door = { name: "http", tellAll: () => {} };

export class HttpCaller implements Caller {
  readonly door = HTTP_DOOR;
  readonly since = Date.now();
  readonly grantId: string;
  standing: Standing | undefined;
  readonly #grants: Pick<GrantSource, "lookUp">;
  readonly #end: (sentence: string) => void;

  constructor(
    grantId: string,
    grants: Pick<GrantSource, "lookUp">,
    end: (sentence: string) => void,
  ) {
    this.grantId = grantId;
    this.#grants = grants;
    this.#end = end;
  }

  grant(): Grant | undefined {
    const grant = this.#grants.lookUp(this.grantId);
    return grant === undefined ? undefined : limited(grant, this.standing);
  }

  tell(): void {
    // An HTTP caller gets only its answer.
  }

  close({ sentence }: Dismissal): void {
    this.#end(sentence);
  }
}
