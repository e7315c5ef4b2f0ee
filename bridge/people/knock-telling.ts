// Owns sending the list of people who wait to those who may let them in: the whole list, batched,
// and only when it changed.

import type { Knock, RoomKnocks } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import type { Later } from "./gathering.ts";
import { Gathering } from "./gathering.ts";

/** Limits a flood of knocks to two messages a second. */
const GATHER_MS = 500;

export interface KnockTellingParts {
  readonly hub: Pick<Hub, "tell">;
  readonly knocks: () => Knock[];
  readonly isFor: (caller: Caller) => boolean;
  readonly later?: Later;
}

export class KnockTelling extends Gathering {
  readonly #parts: KnockTellingParts;
  #told = "[]";

  constructor(parts: KnockTellingParts) {
    super(GATHER_MS, parts.later);
    this.#parts = parts;
  }

  protected override flush(): void {
    const { hub, knocks, isFor } = this.#parts;
    const message: RoomKnocks = { type: "room:knocks", knocks: knocks() };
    const told = JSON.stringify(message.knocks);
    if (told === this.#told) return;
    this.#told = told;
    hub.tell(JSON.stringify(message), (caller) => isFor(caller));
  }
}
