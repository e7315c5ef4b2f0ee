// Owns the one way in which an agent starts anything, in any dialect: plan → judge → approve → plan
// again → isolate → slot → start. Each stage is a port. Nothing starts without a plan, a judgement
// and a slot. From the slot on nothing awaits, so that fifty parallel calls are counted one by one.

import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/table.ts";
import type { AgentLane, Draft, Planned, SpawnPlan, SpawnWish } from "../terminals/plan.ts";
import type { Outcome } from "./outcome.ts";
import { refusal } from "./outcome.ts";
import type { Decision } from "./slots.ts";
import type { InSandbox, Judgement } from "./verdicts.ts";
import { consequenceOf, isRefused } from "./verdicts.ts";

export const BLOCKED = "Command blocked for security reasons";
export const WITHDRAWN =
  "The command, its program or its folder has changed since you asked; ask again";
const GONE = "This token has expired or was revoked";

export type AgentWish = Omit<SpawnWish, "lane" | "startedBy" | "environment"> & {
  readonly lane: AgentLane;
};

/** Which tool or method asks, and whether its client still waits. */
export interface Asking {
  readonly via: string;
  /** The shell line as the agent wrote it; undefined if it gave separate words. */
  readonly line?: string | undefined;
  /** Id of the terminal that the approval is about; its exit withdraws the approval. */
  readonly subject?: string | undefined;
  /** Whether a person has just allowed this same plan, so that it needs no second approval. */
  readonly isAllowed?: ((plan: SpawnPlan) => boolean) | undefined;
  /** Extra context for the person who decides. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly side?: AgentSide | undefined;
}

/** The agent's own client, if it can show an approval to its user. */
export interface AgentSide {
  /** Whether a user may see the approval there. */
  readonly canShow: boolean;
  /** Returns the user's answer about this plan, if it counts; once. */
  given(key: string): { readonly id: string; readonly answer: ApprovalWord } | undefined;
  /** Shows an open approval; `answer` counts if the grant lets the client answer. */
  show(
    approval: Approval,
    key: string,
    answer: (word: ApprovalWord) => void,
  ): {
    /** Whether the call ends now, and the client repeats it after showing the approval. */
    readonly comesAgain: boolean;
    end(): void;
  };
}

/** A plan that may need an approval. */
export interface Question {
  readonly caller: Caller;
  readonly asking: Asking;
  readonly plan: SpawnPlan;
  readonly judgement: Judgement;
  readonly digest: string;
}

export type Permission =
  | {
      readonly ok: true;
      /** Set if a standing rule allowed it, and no person saw this call. */
      readonly isByRule?: true;
    }
  | { readonly ok: false; readonly error: string };

export interface Stages<Started> {
  /** Resolves folder, program and environment for the agent's grant. */
  plan(grant: Grant, wish: AgentWish): Planned;
  judge(draft: Draft): Judgement;
  /** Asks for a plan that must not run without a person's approval. */
  approve(question: Question): Promise<Permission>;
  /** Wraps the plan in the sandbox or container that it needs. */
  isolate(plan: SpawnPlan): Promise<Planned>;
  start(plan: SpawnPlan): Promise<Outcome<Started>>;
  /** Stops what has just started for a caller whose grant ended meanwhile. */
  end(started: Started): void;
  digest(grant: string, plan: SpawnPlan): string;
  /** The user's setting `approvals.inSandbox`. */
  readonly inSandbox: InSandbox;
  /** Receives each judgement, for the audit log. */
  judged(caller: Caller, draft: Draft, judgement: Judgement): void;
  readonly slots: {
    take(lane: AgentLane): Decision;
    whyFull(lane: AgentLane): Extract<Decision, { ok: false }> | undefined;
    refused(grant: string): void;
    tooManyRefusals(grant: string): number | undefined;
  };
}

interface Allowed {
  readonly plan: SpawnPlan;
  readonly digest: string | undefined;
  readonly basis: SpawnPlan["basis"];
}

export class Pipeline<Started> {
  readonly #stages: Stages<Started>;

  constructor(stages: Stages<Started>) {
    this.#stages = stages;
  }

  async run(caller: Caller, wish: AgentWish, asking: Asking): Promise<Outcome<Started>> {
    const { slots } = this.#stages;
    const tooOften = slots.tooManyRefusals(caller.grantId);
    if (tooOften !== undefined) {
      return refusal("Too many refused attempts; wait before you try again", tooOften);
    }
    const allowed = await this.#allowed(caller, wish, asking);
    if (!allowed.ok) {
      slots.refused(caller.grantId);
      return allowed;
    }
    const { plan, digest, basis } = allowed.value;
    const isolated = await this.#stages.isolate(plan);
    if (!isolated.ok) return refusal(isolated.error);
    if (caller.grant() === undefined) return refusal(GONE);
    // Preparing a sandbox takes time: check again that the plan is the one that was allowed.
    if (digest !== undefined && this.#stages.digest(caller.grantId, plan) !== digest) {
      return refusal(WITHDRAWN);
    }
    const decision = slots.take(wish.lane);
    if (!decision.ok) {
      slots.refused(caller.grantId);
      return refusal(decision.error, decision.retryAfterMs);
    }
    let isStarted = false;
    try {
      const started = await this.#stages.start({
        ...isolated.plan,
        ...(basis === undefined ? {} : { basis }),
      });
      isStarted = started.ok;
      if (!started.ok || caller.grant() !== undefined) return started;
      // Grant revoked during the start: stop the process and report the revocation.
      this.#stages.end(started.value);
      return refusal(GONE);
    } finally {
      if (isStarted) decision.slot.keep();
      else decision.slot.release();
    }
  }

  /** Returns the plan that may start, with its digest if a person or rule allowed exactly that. */
  async #allowed(caller: Caller, wish: AgentWish, asking: Asking): Promise<Outcome<Allowed>> {
    const { slots } = this.#stages;
    const before = this.#plan(caller, wish);
    if (!before.ok) {
      // A blocked command gets the same error whether or not its program exists.
      const verdict = before.draft === undefined ? undefined : this.#judge(caller, before.draft);
      const isBlocked = verdict !== undefined && isRefused(wish.lane, verdict);
      return isBlocked ? blocked(verdict) : refusal(before.error);
    }
    const { plan, digest } = before;
    const judgement = this.#judge(caller, plan);
    const { inSandbox } = this.#stages;
    const { isolation } = plan;
    const circumstances = { lane: wish.lane, isolation, terms: caller.grant(), inSandbox };
    const consequence = consequenceOf(judgement, circumstances);
    if (consequence === "refuse") return blocked(judgement);
    if (consequence === "run") {
      const basis = judgement.verdict === "safe" ? judgement.verdict : undefined;
      return { ok: true, value: { plan, digest: undefined, basis } };
    }
    const full = slots.whyFull(wish.lane);
    if (full !== undefined) return refusal(full.error, full.retryAfterMs);
    const approval = await this.#stages.approve({ caller, asking, plan, judgement, digest });
    if (!approval.ok) return refusal(approval.error);
    // Files may have changed while a person decided.
    const after = this.#plan(caller, wish);
    if (!after.ok) return refusal(after.error);
    if (after.digest !== digest) return refusal(WITHDRAWN);
    const basis = approval.isByRule === true ? undefined : "approved";
    return { ok: true, value: { plan: after.plan, digest, basis } };
  }

  #judge(caller: Caller, draft: Draft): Judgement {
    const judgement = this.#stages.judge(draft);
    this.#stages.judged(caller, draft, judgement);
    return judgement;
  }

  #plan(caller: Caller, wish: AgentWish) {
    const grant = caller.grant();
    if (grant === undefined) return { ok: false, error: GONE, draft: undefined } as const;
    const planned = this.#stages.plan(grant, wish);
    if (!planned.ok) return planned;
    const { plan } = planned;
    return { ok: true, plan, digest: this.#stages.digest(grant.id, plan) } as const;
  }
}

/** Returns the fixed error text, with the reasons and what to do as its hint. */
export function blocked({ why, isAboutUs }: Judgement): Outcome<never> {
  const next =
    isAboutUs === true
      ? "Agents may not run, read or change pairpty itself, and no approval can allow it."
      : "No approval can allow it: do it another way, or ask the user to do it.";
  return { ok: false, error: BLOCKED, hint: `${why.join("; ")}. ${next}` };
}
