// Owns whether a link is alive, judged by what it does. Pure: the clock comes in.
// Quiet links get a text ping, which the relay answers without waking the room; one that stays
// silent is nudged, and closed when it does not answer that either.

import { NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";

/** Under the minute after which home routers forget a quiet connection. */
export const PING_AFTER_MS = 20_000;
/** Something is under way, or a ping was sent, and nothing came back for this long. */
export const SUSPECT_AFTER_MS = 5_000;

export interface Liveness {
  readonly heardAt: number;
  readonly pingedAt: number | undefined;
  readonly nudgedAt: number | undefined;
}

export type Verdict = "fine" | "ping" | "nudge" | "dead";

export function judge(state: Liveness, now: number, underWay: boolean): Verdict {
  if (state.nudgedAt !== undefined) {
    return now - state.nudgedAt >= NUDGE_TIMEOUT_MS ? "dead" : "fine";
  }
  if (state.pingedAt !== undefined) {
    return now - state.pingedAt >= SUSPECT_AFTER_MS ? "nudge" : "fine";
  }
  const quiet = now - state.heardAt;
  if (underWay && quiet >= SUSPECT_AFTER_MS) return "nudge";
  return quiet >= PING_AFTER_MS ? "ping" : "fine";
}
