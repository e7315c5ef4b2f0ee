// Owns what follows from a verdict, lane by lane. Pure.

import type { AgentLane } from "../terminals/plan.ts";

export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

export interface Judgement {
  readonly verdict: Verdict;
  readonly why: readonly string[];
  /** It is about pairpty itself: nobody is asked, in any lane. */
  readonly isAboutUs?: boolean;
}

export type Consequence = "run" | "ask" | "refuse";

/** Seed 000: what is not blocked runs, and `dangerous` asks. */
const BACKGROUND: Readonly<Record<Verdict, Consequence>> = {
  safe: "run",
  unknown: "run",
  dangerous: "ask",
  blocked: "refuse",
};

/** Seed 004: only `safe` runs without a question. */
const ASKING: Readonly<Record<Verdict, Consequence>> = {
  safe: "run",
  unknown: "ask",
  dangerous: "ask",
  blocked: "ask",
};

export function consequenceOf(lane: AgentLane, { verdict, isAboutUs }: Judgement): Consequence {
  if (isAboutUs === true) return "refuse";
  return lane === "background" ? BACKGROUND[verdict] : ASKING[verdict];
}
