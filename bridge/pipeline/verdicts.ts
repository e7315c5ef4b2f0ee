// Owns what follows from a verdict, by lane, wall and grant. Pure.

import type { AgentTerms } from "../../protocol/grant.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import type { AgentLane } from "../terminals/plan.ts";

export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

export interface Judgement {
  readonly verdict: Verdict;
  /** The gravest first [Q70]. */
  readonly why: readonly string[];
  /** Those of `why` that say what runs or where, rather than how grave it is: cards always show them. */
  readonly notes?: readonly string[];
  /** What the reasons are, without the operands that vary from call to call; absent: not known. */
  readonly kinds?: readonly string[];
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

/** What is unknown behind a wall: it runs, or a person is asked as without one. */
export const IN_SANDBOX = ["run", "ask"] as const;
export type InSandbox = (typeof IN_SANDBOX)[number];

export interface Circumstances {
  readonly lane: AgentLane;
  readonly isolation: Isolation;
  readonly terms: AgentTerms | undefined;
  readonly inSandbox: InSandbox;
}

export function consequenceOf(
  { verdict, isAboutUs }: Judgement,
  { lane, isolation, terms, inSandbox }: Circumstances,
): Consequence {
  if (isAboutUs === true) return "refuse";
  if (verdict === "unknown" && isolation !== "none" && inSandbox === "run") return "run";
  if (lane !== "background") return ASKING[verdict];
  const asksMore = verdict === "unknown" && terms?.spawnApproval === "unknown";
  return asksMore ? "ask" : BACKGROUND[verdict];
}

/** Whatever the wall and the grant: nobody is asked about it. */
export function isRefused(lane: AgentLane, judgement: Judgement): boolean {
  const circumstances = { lane, isolation: "none", terms: undefined, inSandbox: "ask" } as const;
  return consequenceOf(judgement, circumstances) === "refuse";
}
