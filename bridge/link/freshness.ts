// Owns the decision whether what the room sent is still meant: input that waited in a socket while
// this machine or process stood still must not run when it wakes. Pure: the clocks come in.
//
// Two signs of age. The room stamps each message with its own time, and the offset between the clocks
// is learned from answered nudges. And a tick each second shows when this process did not run: after
// SIGSTOP or a busy event loop both clocks jump, after a suspend perhaps only the wall clock does.
// Either sign starts a doubt, which ends with the answer to a nudge sent since: frames keep their
// order, so everything older has come by then. A relay on this machine may have slept along, and then
// stamps what waited in its own sockets with the time at which it woke: for that the doubt lasts a
// little longer, unless the room says that it was awake.

import { MAX_INPUT_AGE_MS } from "../../protocol/limits.ts";

/** A process that ticks each second and has not for so long stood still. */
export const MAX_TICK_GAP_MS = 5_000;

/** A relay that wakes reads what waits in its sockets within milliseconds; a busy machine takes longer. */
export const RELAY_WAKES_MS = 2_000;

/** Clocks drift apart by some 100 ppm: 0.4 s in an hour. */
export const LEARN_EVERY_MS = 3_600_000;

export interface Clocks {
  /** Unix ms. */
  readonly wall: number;
  /** Milliseconds since some moment; may stand still while the machine sleeps. */
  readonly monotonic: number;
}

export interface Freshness {
  readonly tick: Clocks;
  /** The room's clock minus this machine's, in ms. */
  readonly offset: number;
  /** Wall clock of this machine when the offset was learned. */
  readonly learnedAt: number;
  /** Number of the nudge whose answer ends the doubt; undefined while there is none. */
  readonly doubtedUntil: number | undefined;
  /** Monotonic ms: until then a relay on this machine may send on what waited while it slept. */
  readonly relayWakesUntil: number;
}

/**
 * A link was accepted, and the room's clock read `roomNow`: nothing on it is old. The way here counts
 * as part of the offset until the first answered nudge.
 */
export function begin(roomNow: number, now: Clocks): Freshness {
  const offset = roomNow - now.wall;
  return {
    tick: now,
    offset,
    learnedAt: now.wall,
    doubtedUntil: undefined,
    relayWakesUntil: -Infinity,
  };
}

/** This process stood still, and perhaps a relay on this machine did, too. */
export function awaitRelay(state: Freshness, now: Clocks): Freshness {
  return { ...state, relayWakesUntil: now.monotonic + RELAY_WAKES_MS };
}

/** The room noticed that this process stood still: it was awake, and its stamps are true. */
export function trustRelay(state: Freshness): Freshness {
  return { ...state, relayWakesUntil: -Infinity };
}

/** Whether everything counts as late, whatever its stamp says. */
export function isDoubted({ doubtedUntil, relayWakesUntil }: Freshness, now: Clocks): boolean {
  return doubtedUntil !== undefined || now.monotonic < relayWakesUntil;
}

/** Whether this process stood still since its last tick. */
export function hasStoodStill({ tick }: Freshness, now: Clocks): boolean {
  const gap = Math.max(now.wall - tick.wall, now.monotonic - tick.monotonic);
  return gap > MAX_TICK_GAP_MS;
}

/** Whether a message that the room stamped with `at` is too far from now, by the room's clock. */
export function isFarFromNow({ offset }: Freshness, at: number, now: Clocks): boolean {
  return Math.abs(now.wall + offset - at) > MAX_INPUT_AGE_MS;
}

/** From now on everything is late until nudge `number` is answered. An earlier doubt stays. */
export function doubt(state: Freshness, number: number): Freshness {
  return state.doubtedUntil === undefined ? { ...state, doubtedUntil: number } : state;
}

/**
 * Nudge `number` was sent at `sentAt` and answered now, when the room's clock read `roomNow`: in the
 * middle, as far as anybody knows.
 */
export function answered(
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

/** Whether the offset is so old that the clocks may have drifted apart. */
export function isOffsetOld({ learnedAt }: Freshness, now: Clocks): boolean {
  return now.wall - learnedAt >= LEARN_EVERY_MS;
}
