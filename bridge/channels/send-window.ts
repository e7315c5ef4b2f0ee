// Owns how far a sender may be ahead of its receiver: what the receiver takes in a tenth of a
// second, so that the next output is seen soon, but at least what the line itself holds. Pure: the
// caller passes the time.

/** How much may wait for the receiver, in time. */
const AHEAD_MS = 100;

/**
 * Added to the round trip: acks come in steps of 50 ms, and a window that just fits would never
 * grow.
 */
const ABOVE_TRIP_MS = 75;

/** The speed is the best within this time: several acks, and several round trips. */
const MEMORY_MS = 400;
const MEMORY_TRIPS = 3;

/** Acks come in bursts: over less than this, or than a round trip, they do not show the speed. */
const MIN_SPAN_MS = 50;

/** Below this share of the window the sender had too little to send to measure the speed. */
const BUSY = 0.5;

/**
 * A receiver may ack only by bytes, and never answers less than its step. These are the limits
 * above in steps instead of time, for steps of 50 ms.
 */
const AHEAD_STEPS = 2;
const ABOVE_TRIP_STEPS = 1.5;

/**
 * The ack step is the smallest of this many acks: a receiver that acks by a timer sends small ones
 * as soon as it is slow.
 */
const STEPS_SEEN = 4;

/** Unacked samples; more than one window of frames. */
const MAX_SAMPLES = 512;

/** Acks on a timer, or over a network, take longer. */
const NEAR_MS = 10;

interface Sample {
  readonly offset: number;
  readonly at: number;
}

export interface WindowLimits {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly start: number;
}

export class SendWindow {
  readonly #limits: WindowLimits;
  #size: number;
  /** When each offset was sent, for the round trip; oldest first. */
  #sent: Sample[] = [];
  /** Acks since the sender last paused; oldest first. */
  #acks: Sample[] = [];
  /** Sizes of the last ack steps. */
  #steps: number[] = [];
  #lastAck: number | undefined;
  /** Shortest round trip seen; 0 until measured. */
  #trip = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
    this.#size = limits.start;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether the receiver is so close that acks arrive before a short window is used up. */
  get isNear(): boolean {
    return this.#trip > 0 && this.#trip < NEAR_MS;
  }

  /** Records that bytes from `from` to `to` were sent. */
  onSent(from: number, to: number, now: number): void {
    const ack = this.#acks.at(-1);
    // The sender was idle, which says nothing about the receiver.
    if (ack !== undefined && ack.offset >= from && now - ack.at > MIN_SPAN_MS) this.#acks = [];
    const last = this.#sent.at(-1);
    if (last !== undefined && now - last.at < 1) return;
    this.#sent.push({ offset: to, at: now });
    if (this.#sent.length > MAX_SAMPLES) this.#sent.shift();
  }

  /** Adapts to an ack of everything before `offset`; the sender was `ahead` bytes beyond it. */
  onAck(offset: number, ahead: number, now: number): void {
    const minSpeed = this.#minSpeed(offset, now);
    this.#noteStep(offset);
    this.#measureTrip(offset, now);
    const memory = Math.max(MEMORY_MS, MEMORY_TRIPS * this.#trip);
    this.#forget(now - memory);
    const speed = this.#speed(offset, now);
    this.#acks.push({ offset, at: now });
    if (ahead < BUSY * this.#size) return;
    const ms = Math.max(AHEAD_MS, this.#trip + ABOVE_TRIP_MS);
    if (speed !== undefined)
      this.#size = this.#clamp(Math.max(speed * ms, this.#sizeForSteps(speed)));
    else this.#size = Math.max(this.#size, this.#clamp(minSpeed * ms));
  }

  /** Drops old acks in place; copying hundreds for each ack would be slow on a fast line. */
  #forget(before: number): void {
    while (this.#acks[0] !== undefined && this.#acks[0].at < before) this.#acks.shift();
  }

  #sizeForSteps(speed: number): number {
    const step = Math.min(...this.#steps);
    return Math.max(AHEAD_STEPS * step, ABOVE_TRIP_STEPS * step + speed * this.#trip);
  }

  #noteStep(offset: number): void {
    if (this.#lastAck !== undefined) this.#steps.push(offset - this.#lastAck);
    if (this.#steps.length > STEPS_SEEN) this.#steps.shift();
    this.#lastAck = offset;
  }

  /**
   * Returns a lower bound in bytes per ms, from when the acked bytes began to be sent. It shows a
   * fast receiver at the second ack, before a short burst is over.
   */
  #minSpeed(offset: number, now: number): number {
    const acked = this.#acks.at(-1);
    const began = this.#sent.findLast((sample) => sample.offset <= (acked?.offset ?? -1));
    if (acked === undefined || began === undefined) return 0;
    return (offset - acked.offset) / Math.max(1, now - began.at);
  }

  /** Returns the measured speed in bytes per ms. */
  #speed(offset: number, now: number): number | undefined {
    const minSpanMs = Math.max(MIN_SPAN_MS, this.#trip);
    let best = -Infinity;
    for (const ack of this.#acks) {
      if (now - ack.at < minSpanMs) break;
      best = Math.max(best, (offset - ack.offset) / (now - ack.at));
    }
    return best === -Infinity ? undefined : best;
  }

  #measureTrip(offset: number, now: number): void {
    const index = this.#sent.findIndex((sample) => sample.offset >= offset);
    const sample = this.#sent[index];
    if (sample === undefined) return;
    const trip = now - sample.at;
    this.#trip = this.#trip === 0 ? trip : Math.min(this.#trip, trip);
    // Keep the ack before it: later bytes were sent after that one.
    if (index > 1) this.#sent.splice(0, index - 1);
  }

  #clamp(size: number): number {
    const { minBytes, maxBytes } = this.#limits;
    return Math.round(Math.min(maxBytes, Math.max(minBytes, size)));
  }
}
