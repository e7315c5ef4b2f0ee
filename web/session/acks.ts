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
  isDrivenByOther?: (id: string) => boolean;
  schedule?: Schedule;
}

interface RenderProgress {
  /** The offset at which its screen started. */
  start: number;
  /** The acked offset; below `start` until the first ack. */
  acked: number;
  rendered: number;
}

/** Below every offset. */
const NO_OFFSET = -1;

export class Acks {
  readonly #options: AcksOptions;
  readonly #progress = new Map<string, RenderProgress>();
  #proof: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: AcksOptions) {
    this.#options = options;
  }

  /** Starts over for a new screen at `offset`; the old screen's progress no longer counts. */
  restart(id: string, offset: number): void {
    this.#progress.set(id, { start: offset, acked: NO_OFFSET, rendered: NO_OFFSET });
  }

  /** Sends the progress again for a new attachment: the bridge does not know it. */
  resend(id: string): void {
    const progress = this.#progress.get(id);
    if (!progress) return;
    progress.acked = NO_OFFSET;
    this.#flushSoon();
  }

  /** Records that everything before `offset` is on the screen. */
  onRendered(id: string, offset: number): void {
    const progress = this.#progress.get(id);
    if (!progress || offset <= progress.rendered) return;
    progress.rendered = offset;
    if (this.#options.eager && this.#isFlushDue()) return this.#flush();
    return this.#flushSoon();
  }

  /** Answers the room's check that this page reads: with the next acks, or soon. */
  answerProof(n: number): void {
    this.#proof = n;
    this.#flushSoon();
  }

  forget(id: string): void {
    this.#progress.delete(id);
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #flush(): void {
    this.dispose();
    const updates = new Map<string, number>();
    for (const [id, progress] of this.#progress) {
      if (progress.acked === progress.rendered) continue;
      progress.acked = progress.rendered;
      updates.set(id, progress.rendered);
    }
    const proof = this.#proof;
    this.#proof = undefined;
    if (updates.size > 0 || proof !== undefined) this.#options.send(updates, proof);
  }

  #flushSoon(): void {
    this.#cancel ??= (this.#options.schedule ?? scheduleTimeout)(() => this.#flush(), ACK_MS);
  }

  /** Whether enough is rendered and not acked, over all terminals. */
  #isFlushDue(): boolean {
    let share = 0;
    for (const [id, { start, acked, rendered }] of this.#progress) {
      const step = this.#options.isDrivenByOther?.(id) === true ? WATCHER_ACK_BYTES : ACK_BYTES;
      share += Math.max(0, rendered - Math.max(start, acked)) / step;
    }
    return share >= 1;
  }
}

function scheduleTimeout(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
