// Owns what follows from a verdict, by lane, isolation and grant. Pure.

import type { AgentTerms } from "../../protocol/grant.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import type { AgentLane } from "../terminals/spawn-plan.ts";

export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

export interface Judgement {
  readonly verdict: Verdict;
  /** The gravest first [Q101]. */
  readonly why: readonly string[];
  /** The reasons in `why` that name what runs or where, not how risky it is: cards always show them. */
  readonly notes?: readonly string[];
  /** The reasons without operands that vary from call to call; undefined: not known. */
  readonly kinds?: readonly string[];
  /** Whether it is about pairpty itself, which no approval can allow in any lane. */
  readonly isAboutUs?: boolean;
}

export type Consequence = "run" | "ask" | "refuse";

/** Background terminals run unless blocked; only `dangerous` asks. */
const BACKGROUND: Readonly<Record<Verdict, Consequence>> = {
  safe: "run",
  unknown: "run",
  dangerous: "ask",
  blocked: "refuse",
};

/** Commands and sessions: only `safe` runs without an approval. */
const INTERACTIVE: Readonly<Record<Verdict, Consequence>> = {
  safe: "run",
  unknown: "ask",
  dangerous: "ask",
  blocked: "ask",
};

/** Setting for unknown commands in a sandbox: run them, or ask as without one. */
export const IN_SANDBOX = ["run", "ask"] as const;
export type InSandbox = (typeof IN_SANDBOX)[number];

export interface ConsequenceContext {
  readonly lane: AgentLane;
  readonly isolation: Isolation;
  readonly terms: AgentTerms | undefined;
  readonly inSandbox: InSandbox;
}

export function decideConsequence(
  { verdict, isAboutUs }: Judgement,
  { lane, isolation, terms, inSandbox }: ConsequenceContext,
): Consequence {
  if (isAboutUs === true) return "refuse";
  if (verdict === "unknown" && isolation !== "none" && inSandbox === "run") return "run";
  if (lane !== "background") return INTERACTIVE[verdict];
  const asksMore = verdict === "unknown" && terms?.spawnApproval === "unknown";
  return asksMore ? "ask" : BACKGROUND[verdict];
}

/** Whether no approval can allow it, with any isolation or grant. */
export function isRefused(lane: AgentLane, judgement: Judgement): boolean {
  const circumstances = { lane, isolation: "none", terms: undefined, inSandbox: "ask" } as const;
  return decideConsequence(judgement, circumstances) === "refuse";
}
