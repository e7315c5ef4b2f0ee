// Owns what an HTTP request of the tunnel is to the hub: a caller for as long as it is served.

import type { Caller, Dismissal, Door, Standing } from "../../callers/caller.ts";
import { limited } from "../../callers/caller.ts";
import type { GrantSource } from "../../callers/hub.ts";
import type { Grant } from "../../grants/table.ts";

/** Nobody listens here: what is told to several is not for those who wait for one answer. */
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
    // An answer is all that it gets.
  }

  close({ sentence }: Dismissal): void {
    this.#end(sentence);
  }
}
