// Owns the decision whether a message from the room is recent enough to act on: input that waited
// in a socket while this machine or process was suspended must not run on wake-up. Pure: clocks are
// arguments.
//
// Two things show age. The room stamps each message with its own time, and the offset between the
// clocks is learned from answered nudges. And a tick each second shows when this process did not
// run: after SIGSTOP or a busy event loop both clocks jump, after a suspend perhaps only the wall
// clock. Either one starts a doubt, which ends with the answer to a nudge sent after that: frames
// keep their order, so all older frames have arrived by then. A relay on this machine may have been
// suspended too and then stamps messages from its own sockets with its wake-up time: in that case
// the doubt lasts a little longer, unless the room reports that it was awake.

import { MAX_INPUT_AGE_MS } from "../../protocol/limits.ts";

/** A gap this long between the ticks of each second means that the process was suspended. */
export const MAX_TICK_GAP_MS = 5_000;

/** After a suspend, a relay reads its sockets within milliseconds; a busy machine takes longer. */
export const RELAY_WAKES_MS = 2_000;

/** Clocks drift by about 100 ppm: 0.4 s in an hour. */
export const LEARN_EVERY_MS = 3_600_000;

export interface Clocks {
  /** Unix ms. */
  readonly wall: number;
  /** Milliseconds since an arbitrary moment; may stop while the machine sleeps. */
  readonly monotonic: number;
}

export interface Freshness {
  readonly tick: Clocks;
  /** The room's clock minus this machine's, in ms. */
  readonly offset: number;
  /** Wall clock of this machine when the offset was learned. */
  readonly learnedAt: number;
  /** Number of the nudge whose answer ends the doubt; undefined without a doubt. */
  readonly doubtedUntil: number | undefined;
  /** Monotonic ms until which a relay on this machine may forward input from before its suspend. */
  readonly relayWakesUntil: number;
}

/**
 * Returns the state of a newly accepted link, when the room's clock read `roomNow`. The one-way
 * latency counts as part of the offset until the first answered nudge.
 */
export function startFreshness(roomNow: number, now: Clocks): Freshness {
  const offset = roomNow - now.wall;
  return {
    tick: now,
    offset,
    learnedAt: now.wall,
    doubtedUntil: undefined,
    relayWakesUntil: -Infinity,
  };
}

/** Extends the doubt after a suspend that may also have suspended a local relay. */
export function extendDoubt(state: Freshness, now: Clocks): Freshness {
  return { ...state, relayWakesUntil: now.monotonic + RELAY_WAKES_MS };
}

/** Ends that extension: the room noticed the suspend, so it was awake and its stamps are right. */
export function endExtension(state: Freshness): Freshness {
  return { ...state, relayWakesUntil: -Infinity };
}

/** Whether every message counts as late, whatever its timestamp. */
export function countsAsLate({ doubtedUntil, relayWakesUntil }: Freshness, now: Clocks): boolean {
  return doubtedUntil !== undefined || now.monotonic < relayWakesUntil;
}

/** Whether this process was suspended since its last tick. */
export function wasSuspended({ tick }: Freshness, now: Clocks): boolean {
  const gap = Math.max(now.wall - tick.wall, now.monotonic - tick.monotonic);
  return gap > MAX_TICK_GAP_MS;
}

/** Whether a message with the room's timestamp `at` is too far from now, by the room's clock. */
export function isFarFromNow({ offset }: Freshness, at: number, now: Clocks): boolean {
  return Math.abs(now.wall + offset - at) > MAX_INPUT_AGE_MS;
}

/** Makes every message late until nudge `number` is answered. An earlier doubt remains. */
export function startDoubt(state: Freshness, number: number): Freshness {
  return state.doubtedUntil === undefined ? { ...state, doubtedUntil: number } : state;
}

/** Learns the clock offset from an answered nudge, and ends a doubt that waited for it. */
export function applyNudgeAnswer(
  state: Freshness,
  { number, sentAt, roomNow }: { number: number; sentAt: number; roomNow: number },
  now: Clocks,
): Freshness {
  const isSettled = state.doubtedUntil !== undefined && number >= state.doubtedUntil;
  return {
    ...state,
    offset: roomNow - (sentAt + now.wall) / 2,
    learnedAt: now.wall,
    doubtedUntil: isSettled ? undefined : state.doubtedUntil,
  };
}

/** Whether the offset is old enough for the clocks to have drifted. */
export function isOffsetOld({ learnedAt }: Freshness, now: Clocks): boolean {
  return now.wall - learnedAt >= LEARN_EVERY_MS;
}
