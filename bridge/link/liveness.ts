// Owns judging whether a link is alive from its traffic. Pure: the clock is an argument. Idle links
// get a text ping, which the relay answers without waking the room; a link that does not answer is
// nudged, and closed if that is not answered either. Also owns how long to wait before redialling.

import { NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";

/** Less than the minute after which home routers drop an idle connection. */
export const PING_AFTER_MS = 20_000;
/** How long the link may be silent while bytes are unconfirmed or a ping is unanswered. */
export const SUSPECT_AFTER_MS = 5_000;

export interface Liveness {
  readonly receivedAt: number;
  readonly pingedAt: number | undefined;
  readonly nudgedAt: number | undefined;
}

export type LivenessVerdict = "fine" | "ping" | "nudge" | "dead";

export function judgeLiveness(state: Liveness, now: number, underWay: boolean): LivenessVerdict {
  if (state.nudgedAt !== undefined) {
    return now - state.nudgedAt >= NUDGE_TIMEOUT_MS ? "dead" : "fine";
  }
  if (state.pingedAt !== undefined) {
    return now - state.pingedAt >= SUSPECT_AFTER_MS ? "nudge" : "fine";
  }
  const quiet = now - state.receivedAt;
  if (underWay && quiet >= SUSPECT_AFTER_MS) return "nudge";
  return quiet >= PING_AFTER_MS ? "ping" : "fine";
}

/**
 * A relay on this machine restarts quickly; a remote one must not get all bridges' redials at once.
 */
const NEAR = { firstMs: 50, maxMs: 1_000 };
const FAR = { firstMs: 500, maxMs: 30_000 };

/** Returns the wait in ms; `random` in [0, 1) spreads bridges that lost the same relay. */
export function backoffMs(attempt: number, isNear: boolean, random: number): number {
  const { firstMs, maxMs } = isNear ? NEAR : FAR;
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 20));
  return Math.round(full * (0.5 + random / 2));
}
