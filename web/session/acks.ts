// Owns when to tell the room what has been rendered, of all terminals of the page together: often
// enough to keep a fast program going, seldom enough that a busy one costs little.

import { ACK_BYTES, ACK_MS, WATCHER_ACK_BYTES } from "../../protocol/limits.ts";

export type Schedule = (run: () => void, ms: number) => () => void;

export interface AcksOptions {
  /** What is new since the last time, by terminal, and what the room wants to have back. */
  send: (rendered: ReadonlyMap<string, number>, proof: number | undefined) => void;
  /**
   * Whether much output is acked at once. A relay that bills its messages gets no more than one
   * each `ACK_MS`: 20 a second, however much is printed.
   */
  eager: boolean;
  /** Whether somebody else is known to drive this terminal: then nobody waits for our acks of it. */
  watches?: (id: string) => boolean;
  schedule?: Schedule;
}

interface Place {
  /** Where its screen started. */
  start: number;
  /** Below the start while nothing has been said. */
  acked: number;
  rendered: number;
}

/** Before every offset. */
const NOTHING = -1;

export class Acks {
  readonly #options: AcksOptions;
  readonly #places = new Map<string, Place>();
  #proof: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  /** A new screen starts at `offset`; what was rendered of the old one counts no more. */
  restart(id: string, offset: number): void {
    this.#places.set(id, { start: offset, acked: NOTHING, rendered: NOTHING });
  }

  /** A new attachment of the same screen: the bridge does not know what was rendered before. */
  renew(id: string): void {
    const place = this.#places.get(id);
    if (!place) return;
    place.acked = NOTHING;
    this.#soon();
  }

  /** Everything before `offset` is on the screen. */
  rendered(id: string, offset: number): void {
    const place = this.#places.get(id);
    if (!place || offset <= place.rendered) return;
    place.rendered = offset;
    if (this.#options.eager && this.#isMuch()) return this.#flush();
    return this.#soon();
  }

  /** The room asks whether anybody reads; the answer goes with what is said next, or soon. */
  prove(n: number): void {
    this.#proof = n;
    this.#soon();
  }

  forget(id: string): void {
    this.#places.delete(id);
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #flush(): void {
    this.dispose();
    const news = new Map<string, number>();
    for (const [id, place] of this.#places) {
      if (place.acked === place.rendered) continue;
      place.acked = place.rendered;
      news.set(id, place.rendered);
    }
    const proof = this.#proof;
    this.#proof = undefined;
    if (news.size > 0 || proof !== undefined) this.#options.send(news, proof);
  }

  #soon(): void {
    this.#cancel ??= (this.#options.schedule ?? byTimeout)(() => this.#flush(), ACK_MS);
  }

  /** So much is rendered and not acked, of all terminals together. */
  #isMuch(): boolean {
    let share = 0;
    for (const [id, { start, acked, rendered }] of this.#places) {
      const step = this.#options.watches?.(id) === true ? WATCHER_ACK_BYTES : ACK_BYTES;
      share += Math.max(0, rendered - Math.max(start, acked)) / step;
    }
    return share >= 1;
  }
}

function byTimeout(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
