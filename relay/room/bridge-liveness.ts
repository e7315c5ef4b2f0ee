// Owns the decision whether the bridge behind an open link still responds. Pure: the clock and the
// time of the bridge's last ping are arguments. The room checks only when a peer needs the bridge,
// and once a minute while people watch; for a healthy bridge that costs one small frame.

/** How often the room checks the bridge's last ping while people are connected. */
export const CHECK_EVERY_MS = 60_000;

/**
 * A link that was silent for this long ends with the next message or join, so that its queue cannot
 * grow.
 */
export const GIVE_UP_AFTER_MS = 10 * 60_000;

export type Liveness =
  /** `at`: Unix ms of the last frame; 0 if the room slept and does not know. */
  | { readonly is: "heard"; readonly at: number }
  /** Nudged at `at`, without an answer so far. `heardAt`: the last known sign of life. */
  | { readonly is: "nudged"; readonly at: number; readonly seenAt: number }
  /** The nudge was not answered. `since`: the last sign of life. */
  | { readonly is: "silent"; readonly since: number };

export type LivenessStep =
  | { readonly do: "nothing" }
  /** Send a nudge, and decide again after NUDGE_TIMEOUT_MS. */
  | { readonly do: "nudge"; readonly next: Liveness }
  /** End the link. */
  | { readonly do: "give up" };

const NOTHING: LivenessStep = { do: "nothing" };

/** Whether the last frame was recent enough to skip the check. Hot path: every peer message. */
export function wasSeenRecently(liveness: Liveness, quietMs: number, now: number): boolean {
  return liveness.is === "heard" && now - liveness.at < quietMs;
}

/**
 * Decides what to do about a bridge that may be quiet for `quietMs`. `pingedAt`: Unix ms of its
 * last ping, which the runtime answered.
 */
export function planCheck(
  liveness: Liveness,
  quietMs: number,
  pingedAt: number | undefined,
  now: number,
): LivenessStep {
  if (liveness.is === "silent") {
    return now - liveness.since >= GIVE_UP_AFTER_MS ? { do: "give up" } : NOTHING;
  }
  if (liveness.is === "nudged") return NOTHING;
  const seenAt = Math.max(liveness.at, pingedAt ?? 0);
  if (now - seenAt < quietMs) return NOTHING;
  return { do: "nudge", next: { is: "nudged", at: now, seenAt } };
}

/** Decides after the nudge's timeout. A ping since the nudge counts as an answer, too. */
export function decideAfterNudge(liveness: Liveness, pingedAt: number | undefined): Liveness {
  if (liveness.is !== "nudged") return liveness;
  if (pingedAt !== undefined && pingedAt > liveness.at) return { is: "heard", at: pingedAt };
  // After hibernation there may be no earlier sign of life: then the silence starts with the nudge.
  return { is: "silent", since: liveness.seenAt === 0 ? liveness.at : liveness.seenAt };
}
