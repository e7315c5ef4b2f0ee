// Owns how far a sender may be ahead of its receiver: as much as the receiver takes in a tenth of a
// second, so that what is sent next is seen soon, and no less than the line itself holds. Pure: the
// caller brings the clock.

/** What may wait for the receiver, in time. */
const AHEAD_MS = 100;

/** Above the round trip: acks come in steps of 50 ms, and a window that just fits never grows. */
const ABOVE_TRIP_MS = 75;

/** The speed is the best of the last while: several acks, and several round trips. */
const MEMORY_MS = 400;
const MEMORY_TRIPS = 3;

/** Acks come in bursts: over less than this, or than a round trip, they say nothing of the speed. */
const LEAST_MS = 50;

/** Below this share of the window the sender had nothing to send, and its speed says nothing. */
const BUSY = 0.5;

/**
 * A receiver may ack by bytes alone: what is less than its step it never answers. The same in steps
 * as above in time, for those whose steps are 50 ms.
 */
const AHEAD_STEPS = 2;
const ABOVE_TRIP_STEPS = 1.5;

/** Its step is the least of so many acks: those of one with a timer are small as soon as it is slow. */
const STEPS_SEEN = 4;

/** Of what was sent and not yet acked: more than a window of frames. */
const MOST_SAMPLES = 512;

/** Acks that come on a timer, or over any network worth the name, take longer. */
const NEAR_MS = 10;

interface Sample {
  readonly offset: number;
  readonly at: number;
}

export interface WindowLimits {
  readonly least: number;
  readonly most: number;
  readonly start: number;
}

export class Window {
  readonly #limits: WindowLimits;
  #size: number;
  /** When which offset was passed on, for the round trip; oldest first. */
  #sent: Sample[] = [];
  /** Since the sender last paused; oldest first. */
  #acks: Sample[] = [];
  /** By how much the last acks rose. */
  #steps: number[] = [];
  #lastAck: number | undefined;
  /** The shortest seen; 0 until one was. */
  #trip = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
    this.#size = limits.start;
  }

  get size(): number {
    return this.#size;
  }

  /** The receiver is on this machine, or next to it: a short window is answered before it is used up. */
  get isNear(): boolean {
    return this.#trip > 0 && this.#trip < NEAR_MS;
  }

  /** Bytes from `from` to `to` have been sent. */
  sent(from: number, to: number, now: number): void {
    const ack = this.#acks.at(-1);
    // It had nothing to send for a while: that says nothing of the receiver.
    if (ack !== undefined && ack.offset >= from && now - ack.at > LEAST_MS) this.#acks = [];
    const last = this.#sent.at(-1);
    if (last !== undefined && now - last.at < 1) return;
    this.#sent.push({ offset: to, at: now });
    if (this.#sent.length > MOST_SAMPLES) this.#sent.shift();
  }

  /** The receiver has everything before `offset`; `ahead` is how far the sender was ahead of that. */
  acked(offset: number, ahead: number, now: number): void {
    const least = this.#leastSpeed(offset, now);
    this.#noteStep(offset);
    this.#measureTrip(offset, now);
    const memory = Math.max(MEMORY_MS, MEMORY_TRIPS * this.#trip);
    this.#forget(now - memory);
    const speed = this.#speed(offset, now);
    this.#acks.push({ offset, at: now });
    if (ahead < BUSY * this.#size) return;
    const ms = Math.max(AHEAD_MS, this.#trip + ABOVE_TRIP_MS);
    if (speed !== undefined) this.#size = this.#clamp(Math.max(speed * ms, this.#ofSteps(speed)));
    else this.#size = Math.max(this.#size, this.#clamp(least * ms));
  }

  /** A fast line has hundreds of acks in a while: they are looked at for each, and never copied. */
  #forget(before: number): void {
    while (this.#acks[0] !== undefined && this.#acks[0].at < before) this.#acks.shift();
  }

  #ofSteps(speed: number): number {
    const step = Math.min(...this.#steps);
    return Math.max(AHEAD_STEPS * step, ABOVE_TRIP_STEPS * step + speed * this.#trip);
  }

  #noteStep(offset: number): void {
    if (this.#lastAck !== undefined) this.#steps.push(offset - this.#lastAck);
    if (this.#steps.length > STEPS_SEEN) this.#steps.shift();
    this.#lastAck = offset;
  }

  /**
   * In bytes per ms, from when what this ack is of began to be sent until now. It says nothing of
   * who is slow, but shows at the second ack who is fast: a short burst would be over before more is known.
   */
  #leastSpeed(offset: number, now: number): number {
    const acked = this.#acks.at(-1);
    const began = this.#sent.findLast((sample) => sample.offset <= (acked?.offset ?? -1));
    if (acked === undefined || began === undefined) return 0;
    return (offset - acked.offset) / Math.max(1, now - began.at);
  }

  /** In bytes per ms. */
  #speed(offset: number, now: number): number | undefined {
    const least = Math.max(LEAST_MS, this.#trip);
    let best = -Infinity;
    for (const ack of this.#acks) {
      if (now - ack.at < least) break;
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
    // The one before it stays: what comes next was sent behind it.
    if (index > 1) this.#sent.splice(0, index - 1);
  }

  #clamp(size: number): number {
    const { least, most } = this.#limits;
    return Math.round(Math.min(most, Math.max(least, size)));
  }
}
