// Owns the one way by which an agent starts anything, whatever it speaks:
//   plan → judge → approve → plan again → isolate → slot → start
// Each stage is a port. Nothing starts that was not planned, judged and given a slot; from the slot
// on nothing awaits, so that fifty at once are counted one by one.

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

/** By which tool or method, and whether somebody still waits for the answer. */
export interface Asking {
  readonly via: string;
  /** As the agent wrote it; the plan's words where it wrote words. */
  readonly line?: string | undefined;
  /** What the question is about, where that has an end of its own: it withdraws the question. */
  readonly subject?: string | undefined;
  /** A person has allowed just this a moment ago, and is not asked again. */
  readonly isAllowed?: ((plan: SpawnPlan) => boolean) | undefined;
  /** What a person who is asked should know besides. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly side?: AgentSide | undefined;
}

/** The agent's own side, where it can show a question to its user. */
export interface AgentSide {
  /** Somebody may see the question there. */
  readonly canShow: boolean;
  /** What was answered there to the question about this very plan, where that counts; once. */
  given(key: string): { readonly id: string; readonly answer: ApprovalWord } | undefined;
  /** The question is open; `answer` counts where its grant says so. */
  show(
    approval: Approval,
    key: string,
    answer: (word: ApprovalWord) => void,
  ): {
    /** The call ends now, and is made again when it was shown. */
    readonly comesAgain: boolean;
    end(): void;
  };
}

/** A plan that somebody may be asked about. */
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
      /** A standing rule allowed it; no person saw this call. */
      readonly isByRule?: true;
    }
  | { readonly ok: false; readonly error: string };

export interface Stages<Started> {
  /** Where and what, with the agent's folders and environment. */
  plan(grant: Grant, wish: AgentWish): Planned;
  judge(draft: Draft): Judgement;
  /** Of a plan that may not run without a person's word. */
  approve(question: Question): Promise<Permission>;
  /** The same plan behind the wall that it needs. */
  isolate(plan: SpawnPlan): Promise<Planned>;
  start(plan: SpawnPlan): Promise<Outcome<Started>>;
  /** Of what started for a caller whose grant is gone by then. */
  end(started: Started): void;
  digest(grant: string, plan: SpawnPlan): string;
  /** The user's setting. */
  readonly inSandbox: InSandbox;
  /** Each judgement, for the record. */
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
    // A wall may take its time to stand, and what was allowed is still what was seen.
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
      // Revoked while the pty host was at it: nobody was told that it runs, so it does not.
      this.#stages.end(started.value);
      return refusal(GONE);
    } finally {
      if (isStarted) decision.slot.keep();
      else decision.slot.release();
    }
  }

  /** The plan as it is now, and may start; with its digest where somebody allowed just that. */
  async #allowed(caller: Caller, wish: AgentWish, asking: Asking): Promise<Outcome<Allowed>> {
    const { slots } = this.#stages;
    const before = this.#plan(caller, wish);
    if (!before.ok) {
      // What is blocked is told as that, whether there is such a program or not.
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
    // Anything may have happened while somebody thought about it.
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

/** The seed's words, and beside them the reasons and what to do. */
export function blocked({ why, isAboutUs }: Judgement): Outcome<never> {
  const next =
    isAboutUs === true
      ? "Agents may not run, read or change pairpty itself, and pairpty asks nobody about it."
      : "pairpty asks nobody about it: do it another way, or ask the user to do it.";
  return { ok: false, error: BLOCKED, hint: `${why.join("; ")}. ${next}` };
}
