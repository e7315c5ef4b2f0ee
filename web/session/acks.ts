// Owns when rendered output is acked to the room, for all terminals of the page together: often
// enough to keep a fast program going, seldom enough to stay cheap.

import { ACK_BYTES, ACK_MS, WATCHER_ACK_BYTES } from "../../protocol/limits.ts";

export type Schedule = (run: () => void, ms: number) => () => void;

export interface AcksOptions {
  /** Sends the newly rendered offsets by terminal, and the proof that the room asked for. */
  send: (rendered: ReadonlyMap<string, number>, proof: number | undefined) => void;
  /**
   * Whether much output is acked immediately. A relay that bills messages gets at most one ack per
   * `ACK_MS`: 20 a second, however much is printed.
   */
  eager: boolean;
  /** Whether another person drives this terminal: then the program does not wait for our acks. */
  watches?: (id: string) => boolean;
  schedule?: Schedule;
}

interface Place {
  /** The offset at which its screen started. */
  start: number;
  /** Below the start until the first ack. */
  acked: number;
  rendered: number;
}

/** Below every offset. */
const NOTHING = -1;

export class Acks {
  readonly #options: AcksOptions;
  readonly #places = new Map<string, Place>();
  #proof: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  /** Starts over for a new screen at `offset`; the old screen's progress no longer counts. */
  restart(id: string, offset: number): void {
    this.#places.set(id, { start: offset, acked: NOTHING, rendered: NOTHING });
  }

  /** Sends the progress again for a new attachment: the bridge does not know it. */
  renew(id: string): void {
    const place = this.#places.get(id);
    if (!place) return;
    place.acked = NOTHING;
    this.#soon();
  }

  /** Records that everything before `offset` is on the screen. */
  rendered(id: string, offset: number): void {
    const place = this.#places.get(id);
    if (!place || offset <= place.rendered) return;
    place.rendered = offset;
    if (this.#options.eager && this.#isMuch()) return this.#flush();
    return this.#soon();
  }

  /** Answers the room's check that this page reads: with the next acks, or soon. */
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

  /** Whether enough is rendered and not acked, over all terminals. */
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
