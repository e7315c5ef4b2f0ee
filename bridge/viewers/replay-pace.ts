// Owns the rate limit for retained output per attach: a bucket of bytes for each viewer and one for
// its link. A viewer that attaches repeatedly waits without delaying others. Sends and fetches
// nothing.

import { KiB, MiB } from "../../protocol/limits.ts";
import type { Peer } from "./peer-table.ts";

export interface BucketLimits {
  /** Bytes available immediately. */
  readonly burst: number;
  /** Bytes refilled per second. */
  readonly perSecond: number;
}

/** Per viewer: eight full buffers at once, more than a page or a script requests at its start. */
const VIEWER: BucketLimits = { burst: 16 * MiB, perSecond: 1 * MiB };

/** Per link: all its viewers return at once when the bridge does. */
const LINK: BucketLimits = { burst: 64 * MiB, perSecond: 32 * MiB };

/** An attach costs work even if nothing is missing. */
const MIN_ATTACH_BYTES = 4 * KiB;

export interface PacedWork {
  readonly peer: Peer;
  /** Estimated bytes to send. */
  readonly bytes: number;
  /** Returns whether it is still wanted, before the link's bucket is used. */
  readonly isWanted: () => boolean;
  /** Runs once, even if it is no longer wanted. */
  readonly start: () => void;
}

export interface PaceDeps {
  /** Returns monotonic milliseconds. */
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

  /** Starts work as soon as the buckets of its viewer and its link allow it. */
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

  /** Returns a link's bucket; drops full ones when it creates one, since links come and go. */
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

/** Available bytes; negative if reserved by waiting work. */
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

  /** Reserves bytes; returns in how many milliseconds they may be sent. */
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
