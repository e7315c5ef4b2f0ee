// Owns how often a viewer may be sent retained output because it attaches: a bucket of bytes for
// each viewer and one for its link. A viewer that attaches again and again waits, and nobody else
// does. Sends nothing and fetches nothing.

import { KiB, MiB } from "../../protocol/limits.ts";
import type { Peer } from "./peers.ts";

export interface BucketLimits {
  /** Bytes that may go at once. */
  readonly burst: number;
  /** Bytes that come back in a second. */
  readonly perSecond: number;
}

/** For a viewer: eight full buffers at once, more than a page or a script asks for when it starts. */
const VIEWER: BucketLimits = { burst: 16 * MiB, perSecond: 1 * MiB };

/** For a link: everybody who watches by it comes back at once when the bridge does. */
const LINK: BucketLimits = { burst: 64 * MiB, perSecond: 32 * MiB };

/** An attach costs work, however little is missing. */
const MIN_ATTACH_BYTES = 4 * KiB;

export interface PacedWork {
  readonly peer: Peer;
  /** Bytes that it may send, as far as is known. */
  readonly bytes: number;
  /** Checked before the link's bucket is used: a viewer that left costs its link nothing. */
  readonly isWanted: () => boolean;
  /** Called once, also when nobody wants it any more. */
  readonly start: () => void;
}

export interface PaceDeps {
  /** Milliseconds that only rise. */
  readonly now: () => number;
  readonly setTimer: (run: () => void, ms: number) => void;
}

const REAL: PaceDeps = {
  now: () => performance.now(),
  setTimer: (run, ms) => void setTimeout(run, ms).unref(),
};

export class ReplayPace {
  readonly #deps: PaceDeps;
  readonly #viewers = new WeakMap<Peer, ByteBucket>();
  readonly #links = new Map<string, ByteBucket>();

  constructor(deps: PaceDeps = REAL) {
    this.#deps = deps;
  }

  /** Starts work now, or when its viewer and then its link may be sent that much. */
  run({ peer, bytes, isWanted, start }: PacedWork): void {
    const now = this.#deps.now();
    const bucket = this.#viewers.get(peer) ?? new ByteBucket(VIEWER, now);
    this.#viewers.set(peer, bucket);
    const cost = Math.max(MIN_ATTACH_BYTES, bytes);
    this.#after(bucket.reserve(cost, now), () => {
      if (!isWanted()) return start();
      const link = this.#linkBucket(peer.caller.grantId);
      return this.#after(link.reserve(cost, this.#deps.now()), start);
    });
  }

  #after(ms: number, run: () => void): void {
    if (ms === 0) run();
    else this.#deps.setTimer(run, ms);
  }

  /** Forgets full buckets when it makes one: links come and go. */
  #linkBucket(grant: string): ByteBucket {
    const found = this.#links.get(grant);
    if (found !== undefined) return found;
    const now = this.#deps.now();
    for (const [id, bucket] of this.#links) if (bucket.isFull(now)) this.#links.delete(id);
    const made = new ByteBucket(LINK, now);
    this.#links.set(grant, made);
    return made;
  }
}

/** Bytes that may go now; below zero: promised to those who wait. */
export class ByteBucket {
  readonly #limits: BucketLimits;
  #bytes: number;
  #at: number;

  constructor(limits: BucketLimits, now: number) {
    this.#limits = limits;
    this.#bytes = limits.burst;
    this.#at = now;
  }

  isFull(now: number): boolean {
    this.#refill(now);
    return this.#bytes >= this.#limits.burst;
  }

  /** Takes so many bytes and returns in how many milliseconds they may go. */
  reserve(bytes: number, now: number): number {
    this.#refill(now);
    const owed = Math.max(0, -this.#bytes);
    this.#bytes -= bytes;
    return Math.ceil((owed / this.#limits.perSecond) * 1_000);
  }

  #refill(now: number): void {
    const { burst, perSecond } = this.#limits;
    this.#bytes = Math.min(burst, this.#bytes + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
  }
}
