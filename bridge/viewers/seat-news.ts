// Owns the notices to viewers of a terminal: the driver, the number of viewers and the basis of the
// size. Each room gets them in its renditions' messages.

import type { PtyDriver } from "../../protocol/pty.ts";
import { calledOf, nameOf } from "../callers/caller.ts";
import { tellAll } from "../channels/telling.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Driving } from "./driving.ts";
import type { Feed } from "./feed.ts";
import type { Home, Peer, PeerTable } from "./peers.ts";
import type { WordsBy } from "./words.ts";

export interface SeatNewsParts {
  readonly feed: Pick<Feed, "get">;
  readonly peers: Pick<PeerTable, "get" | "attachedTo">;
  readonly homes: () => Iterable<Home>;
  readonly words: WordsBy;
  readonly sizersOf: Driving["sizersOf"];
}

export class SeatNews {
  readonly #parts: SeatNewsParts;

  constructor(parts: SeatNewsParts) {
    this.#parts = parts;
  }

  resized({ id, cols, rows }: PoolTerminal): void {
    const { feed, homes, words } = this.#parts;
    const terminal = feed.get(id);
    if (terminal === undefined) return;
    for (const { channels } of homes()) {
      for (const { channel, rendition } of channels.of(terminal)) {
        const message = words(rendition).resized(id, cols, rows);
        if (message !== undefined) channel.event(message);
      }
    }
  }

  driverChanged({ id }: PoolTerminal, driver: Peer | undefined, viewers: number): void {
    const { peers, homes, words } = this.#parts;
    const grant = driver?.caller.grant();
    const name = driver?.caller.standing?.name;
    const told = {
      id,
      driver: driver?.number ?? null,
      ...(grant === undefined ? {} : { label: nameOf(grant) }),
      ...(name === undefined ? {} : { name }),
      viewers,
      ...this.#sizeWords(id),
    };
    const attached = peers.attachedTo(id);
    for (const home of homes()) {
      const here = attached.filter((peer) => peer.home === home);
      for (const [message, those] of groupBy(here, (peer) =>
        words(peer.attached.get(id)?.rendition ?? peer.rendition).driver(told),
      )) {
        tellAll(home, those, message);
      }
    }
  }

  /** Returns the basis of the size, for viewers whose window does not match. */
  #sizeWords(id: string): Pick<PtyDriver, "size"> {
    const { feed, peers, sizersOf } = this.#parts;
    const terminal = feed.get(id);
    if (terminal === undefined) return {};
    if (terminal.meta.pinned !== undefined) return { size: { of: "pinned" } };
    const people = sizersOf(terminal).flatMap((peer) => {
      const caller = peers.get(peer)?.caller;
      return caller === undefined ? [] : { peer, called: calledOf(caller) };
    });
    if (people.length === 0) return {};
    return { size: { of: people.length > 1 ? "turns" : "one", people } };
  }
}

function groupBy<T, K>(all: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}
