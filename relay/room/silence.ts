// Owns the decision whether the bridge behind an open link still answers. Pure: the clock, and the
// time of the bridge's last ping, come in. The room asks only when a peer needs the answer, or once
// a minute for those who only watch: a bridge that answers costs one small frame.

/** How often the room looks at the bridge's last ping while people are connected. */
export const LOOK_EVERY_MS = 60_000;

/** A link that was silent for so long is ended with the next message or join: its queue must not grow. */
export const GIVE_UP_AFTER_MS = 10 * 60_000;

export type Hearing =
  /** `at`: Unix ms of the last frame; 0 in a room that slept and does not remember one. */
  | { readonly is: "heard"; readonly at: number }
  /** Nudged at `at`, and nothing came since. `heardAt`: when it was last heard, as far as known. */
  | { readonly is: "nudged"; readonly at: number; readonly heardAt: number }
  /** It did not answer. `since`: when it was last heard. */
  | { readonly is: "silent"; readonly since: number };

export type Step =
  | { readonly do: "nothing" }
  /** Send a nudge, and `decide` in NUDGE_TIMEOUT_MS. */
  | { readonly do: "nudge"; readonly next: Hearing }
  /** End the link. */
  | { readonly do: "give up" };

const NOTHING: Step = { do: "nothing" };

/** Whether the last frame alone shows that nothing needs to be asked. Hot path: every peer message. */
export function isHeardLately(hearing: Hearing, quietMs: number, now: number): boolean {
  return hearing.is === "heard" && now - hearing.at < quietMs;
}

/**
 * Decides what a look does to a bridge that may be quiet for `quietMs`. `pingedAt`: Unix ms of its
 * last ping, which the runtime answered.
 */
export function look(
  hearing: Hearing,
  quietMs: number,
  pingedAt: number | undefined,
  now: number,
): Step {
  if (hearing.is === "silent") {
    return now - hearing.since >= GIVE_UP_AFTER_MS ? { do: "give up" } : NOTHING;
  }
  if (hearing.is === "nudged") return NOTHING;
  const heardAt = Math.max(hearing.at, pingedAt ?? 0);
  if (now - heardAt < quietMs) return NOTHING;
  return { do: "nudge", next: { is: "nudged", at: now, heardAt } };
}

/** The time for an answer is over. A ping since the nudge is an answer, too. */
export function decide(hearing: Hearing, pingedAt: number | undefined): Hearing {
  if (hearing.is !== "nudged") return hearing;
  if (pingedAt !== undefined && pingedAt > hearing.at) return { is: "heard", at: pingedAt };
  // Nothing is known from before a sleep: then it is silent since it was asked.
  return { is: "silent", since: hearing.heardAt === 0 ? hearing.at : hearing.heardAt };
}
