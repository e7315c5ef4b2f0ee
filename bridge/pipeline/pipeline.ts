// Owns the one way in which an agent starts anything, in any dialect: plan → judge → approve → plan
// again → isolate → slot → start. Each stage is a port. Nothing starts without a plan, a judgement
// and a slot. From the slot on nothing awaits, so that fifty parallel calls are counted one by one.
// Also owns when two plans are the same: an answer for one plan is valid for no other.

import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { compact } from "../../protocol/compact.ts";
import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import { splitReasons } from "../../protocol/approval.ts";
import type { Caller } from "../callers/caller.ts";
import { findSystemCode } from "../errors.ts";
import type { Grant } from "../grants/grant-table.ts";
import type {
  AgentLane,
  PlanDraft,
  PlanResult,
  SpawnPlan,
  SpawnRequest,
} from "../terminals/spawn-plan.ts";
import type { Outcome } from "./outcome.ts";
import { refusal } from "./outcome.ts";
import type { SlotDecision } from "./slots.ts";
import type { InSandbox, Judgement } from "./verdicts.ts";
import { decideConsequence, isRefused } from "./verdicts.ts";

export const BLOCKED = "Command blocked for security reasons";
export const WITHDRAWN =
  "The command, its program or its folder has changed since you asked; ask again";
const GRANT_ENDED = "This token has expired or was revoked";

export type AgentSpawnRequest = Omit<SpawnRequest, "lane" | "startedBy" | "environment"> & {
  readonly lane: AgentLane;
};

/** Which tool or method asks, and whether its client still waits. */
export interface RequestContext {
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
  readonly client?: ClientElicitation | undefined;
}

/** The agent's own client, if it can show an approval to its user. */
export interface ClientElicitation {
  /** Whether a user may see the approval there. */
  readonly canShow: boolean;
  /** Returns the user's answer about this plan, if it counts; once. */
  takeAnswer(key: string): { readonly id: string; readonly answer: ApprovalWord } | undefined;
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
  readonly context: RequestContext;
  readonly plan: SpawnPlan;
  readonly judgement: Judgement;
  readonly digest: string;
}

export type ApprovalResult =
  | {
      readonly ok: true;
      /** Set if a standing rule allowed it, and no person saw this call. */
      readonly isByRule?: true;
    }
  | {
      readonly ok: false;
      readonly error: string;
      /** The policy's other reasons; the error names the gravest [Q106]. */
      readonly moreReasons?: readonly string[];
    };

export interface PipelineStages<Started> {
  /** Resolves folder, program and environment for the agent's grant. */
  plan(grant: Grant, request: AgentSpawnRequest): PlanResult;
  judge(draft: PlanDraft): Judgement;
  /** Asks people to approve a plan that must not run without an approval. */
  approve(question: Question): Promise<ApprovalResult>;
  /** Wraps the plan in the sandbox or container that it needs. */
  isolate(plan: SpawnPlan): Promise<PlanResult>;
  start(plan: SpawnPlan): Promise<Outcome<Started>>;
  /** Stops what has just started for a caller whose grant ended meanwhile. */
  end(started: Started): void;
  digest(grant: string, plan: SpawnPlan): string;
  /** The user's setting `approvals.inSandbox`. */
  readonly inSandbox: InSandbox;
  /** Receives each judgement, for the audit log. */
  recordJudgement(caller: Caller, draft: PlanDraft, judgement: Judgement): void;
  readonly slots: {
    take(lane: AgentLane): SlotDecision;
    whyFull(lane: AgentLane): Extract<SlotDecision, { ok: false }> | undefined;
    countRefusal(grant: string): void;
    tooManyRefusals(grant: string): number | undefined;
  };
}

interface ApprovedPlan {
  readonly plan: SpawnPlan;
  readonly digest: string | undefined;
  readonly basis: SpawnPlan["basis"];
}

export class Pipeline<Started> {
  readonly #stages: PipelineStages<Started>;

  constructor(stages: PipelineStages<Started>) {
    this.#stages = stages;
  }

  async run(
    caller: Caller,
    request: AgentSpawnRequest,
    context: RequestContext,
  ): Promise<Outcome<Started>> {
    const { slots } = this.#stages;
    const tooOften = slots.tooManyRefusals(caller.grantId);
    if (tooOften !== undefined) {
      return refusal("Too many refused attempts; wait before you try again", tooOften);
    }
    const allowed = await this.#approve(caller, request, context);
    if (!allowed.ok) {
      slots.countRefusal(caller.grantId);
      return allowed;
    }
    const { plan, digest, basis } = allowed.value;
    const isolated = await this.#stages.isolate(plan);
    if (!isolated.ok) return refusal(isolated.error);
    if (caller.grant() === undefined) return refusal(GRANT_ENDED);
    // Preparing a sandbox takes time: check again that the plan is the one that was allowed.
    if (digest !== undefined && this.#stages.digest(caller.grantId, plan) !== digest) {
      return refusal(WITHDRAWN);
    }
    const decision = slots.take(request.lane);
    if (!decision.ok) {
      slots.countRefusal(caller.grantId);
      return refusal(decision.error, decision.retryAfterMs);
    }
    let isStarted = false;
    try {
      const started = await this.#stages.start({
        ...isolated.plan,
        ...compact({ basis }),
      });
      isStarted = started.ok;
      if (!started.ok || caller.grant() !== undefined) return started;
      // Grant revoked during the start: stop the process and report the revocation.
      this.#stages.end(started.value);
      return refusal(GRANT_ENDED);
    } finally {
      if (isStarted) decision.slot.keep();
      else decision.slot.release();
    }
  }

  /** Returns the plan that may start, with its digest if a person or rule allowed exactly that. */
  async #approve(
    caller: Caller,
    request: AgentSpawnRequest,
    context: RequestContext,
  ): Promise<Outcome<ApprovedPlan>> {
    const { slots } = this.#stages;
    const before = this.#plan(caller, request);
    if (!before.ok) {
      // A blocked command gets the same error whether or not its program exists.
      const verdict = before.draft === undefined ? undefined : this.#judge(caller, before.draft);
      const isBlocked = verdict !== undefined && isRefused(request.lane, verdict);
      return isBlocked ? blockedOutcome(verdict) : refusal(before.error);
    }
    const { grant, plan, digest } = before;
    const judgement = this.#judge(caller, plan);
    const { inSandbox } = this.#stages;
    const { isolation } = plan;
    const circumstances = { lane: request.lane, isolation, terms: grant, inSandbox };
    const consequence = decideConsequence(judgement, circumstances);
    if (consequence === "refuse") return blockedOutcome(judgement);
    if (consequence === "run") {
      const basis = judgement.verdict === "safe" ? judgement.verdict : undefined;
      return { ok: true, value: { plan, digest: undefined, basis } };
    }
    const full = slots.whyFull(request.lane);
    if (full !== undefined) return refusal(full.error, full.retryAfterMs);
    const approval = await this.#stages.approve({ caller, context, plan, judgement, digest });
    if (!approval.ok) return approval;
    // Files may have changed while a person decided.
    const after = this.#plan(caller, request);
    if (!after.ok) return refusal(after.error);
    if (after.digest !== digest) return refusal(WITHDRAWN);
    const basis = approval.isByRule === true ? undefined : "approved";
    return { ok: true, value: { plan: after.plan, digest, basis } };
  }

  #judge(caller: Caller, draft: PlanDraft): Judgement {
    const judgement = this.#stages.judge(draft);
    this.#stages.recordJudgement(caller, draft, judgement);
    return judgement;
  }

  #plan(caller: Caller, request: AgentSpawnRequest) {
    const grant = caller.grant();
    if (grant === undefined) return { ok: false, error: GRANT_ENDED, draft: undefined } as const;
    const planned = this.#stages.plan(grant, request);
    if (!planned.ok) return planned;
    const { plan } = planned;
    return { ok: true, grant, plan, digest: this.#stages.digest(grant.id, plan) } as const;
  }
}

/** Returns the fixed error text, with the gravest reason and what to do as its hint [Q106]. */
export function blockedOutcome(judgement: Judgement): Outcome<never> {
  const { gravest, more: moreReasons } = splitReasons(judgement);
  const next =
    judgement.isAboutUs === true
      ? "Agents may not run, read or change pairpty itself, and no approval can allow it."
      : "No approval can allow it: do it another way, or ask the user to do it.";
  // "runs or changes pairpty itself" would say the same twice.
  const isSaid = judgement.isAboutUs === true && gravest?.includes("pairpty itself") === true;
  const hint = gravest === undefined || isSaid ? next : `${gravest}. ${next}`;
  return { ok: false, error: BLOCKED, hint, ...(moreReasons.length > 0 && { moreReasons }) };
}

/** The files that a plan refers to, as they were when it was made. */
export interface PlanFiles {
  /** Real path of the program. */
  readonly program: string;
  /** The folder's device and inode, since another folder may take its name. */
  readonly folder: string;
}

export function getPlanFiles(plan: SpawnPlan): PlanFiles {
  try {
    return readSurroundings(plan);
  } catch (error) {
    // The file is gone since the plan was made: it matches no earlier plan.
    if (findSystemCode(error) !== undefined) return { program: "", folder: "" };
    throw error;
  }
}

function readSurroundings({ argv, cwd, isolation }: SpawnPlan): PlanFiles {
  const { dev, ino } = statSync(cwd, { bigint: true });
  // In a container the image decides which program has that name.
  const program = isolation === "container" ? argv[0] : realpathSync(argv[0]);
  return { program, folder: `${dev}:${ino}` };
}

/** Returns a SHA-256 in hex. `policy` is the version of the rules that judged the plan. */
export function computeDigest(
  grant: string,
  { argv, cwd, added, isolation, input }: SpawnPlan,
  { program, folder }: PlanFiles,
  policy: string,
): string {
  const variables = Object.entries(added).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const typed = input === undefined ? null : [input.text, input.staysOpen];
  const whole = [grant, argv, program, cwd, folder, variables, isolation, policy, typed];
  return createHash("sha256").update(JSON.stringify(whole)).digest("hex");
}
