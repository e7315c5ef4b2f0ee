// Owns sending the list of people who wait to those who may let them in: the whole list, batched,
// and only when it changed.

import type { Knock, RoomKnocks } from "../../protocol/room.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import type { Schedule } from "../schedule.ts";
import { BatchedFlush } from "./batched-flush.ts";

/** Limits a flood of knocks to two messages a second. */
const BATCH_MS = 500;

export interface KnockBroadcasterDeps {
  readonly hub: Pick<Hub, "broadcast">;
  readonly listKnocks: () => Knock[];
  readonly isFor: (caller: Caller) => boolean;
  readonly schedule?: Schedule;
}

export class KnockBroadcaster extends BatchedFlush {
  readonly #deps: KnockBroadcasterDeps;
  #lastSent = "[]";

  constructor(deps: KnockBroadcasterDeps) {
    super(BATCH_MS, deps.schedule);
    this.#deps = deps;
  }

  protected override flush(): void {
    const { hub, listKnocks: knocks, isFor } = this.#deps;
    const message: RoomKnocks = { type: "room:knocks", knocks: knocks() };
    const encoded = JSON.stringify(message.knocks);
    if (encoded === this.#lastSent) return;
    this.#lastSent = encoded;
    hub.broadcast(JSON.stringify(message), (caller) => isFor(caller));
  }
}
