// Owns when to tell the room what has been rendered, of all terminals of the page together: often
// enough to keep a fast program going, seldom enough that a busy one costs little.

import { ACK_BYTES, ACK_MS } from "../../protocol/limits.ts";

export type Schedule = (run: () => void, ms: number) => () => void;

export interface AcksOptions {
  /** What is new since the last time, by terminal. */
  send: (rendered: ReadonlyMap<string, number>) => void;
  /**
   * Whether much output is acked at once. A relay that bills its messages gets no more than one
   * each `ACK_MS`: 20 a second, however much is printed.
   */
  eager: boolean;
  schedule?: Schedule;
}

interface Place {
  acked: number;
  rendered: number;
}

export class Acks {
  readonly #options: AcksOptions;
  readonly #places = new Map<string, Place>();
  #owed = 0;
  #cancel: (() => void) | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  /** A new screen starts at `offset`; what was rendered of the old one counts no more. */
  restart(id: string, offset: number): void {
    this.forget(id);
    this.#places.set(id, { acked: offset, rendered: offset });
  }

  /** Everything before `offset` is on the screen. */
  rendered(id: string, offset: number): void {
    const place = this.#places.get(id);
    if (!place || offset <= place.rendered) return;
    this.#owed += offset - place.rendered;
    place.rendered = offset;
    if (this.#options.eager && this.#owed >= ACK_BYTES) return this.#flush();
    this.#cancel ??= (this.#options.schedule ?? byTimeout)(() => this.#flush(), ACK_MS);
  }

  forget(id: string): void {
    const place = this.#places.get(id);
    if (!place) return;
    this.#places.delete(id);
    this.#owed -= place.rendered - place.acked;
    if (this.#owed === 0) this.dispose();
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #flush(): void {
    this.dispose();
    this.#owed = 0;
    const news = new Map<string, number>();
    for (const [id, place] of this.#places) {
      if (place.acked === place.rendered) continue;
      place.acked = place.rendered;
      news.set(id, place.rendered);
    }
    this.#options.send(news);
  }
}

function byTimeout(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
