// Owns one request of a program's agent on its way through the pipeline: the stages without a
// bridge. The agent's `confirm` asks the person; the runner starts the process. Also owns the
// concurrency limits of one service. No rates: the program decides how often it calls. Counts;
// starts nothing.

import { createHash } from "node:crypto";
import { judgeDraft } from "../agents/draft-judgement.ts";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest, Question, PipelineStages } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { SlotDecision } from "../pipeline/slots.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { PolicyContext } from "../policy/policy.ts";
import type { Input, PlanResult, SpawnPlan, AgentLane } from "../terminals/spawn-plan.ts";
import { confirmWithPerson } from "./confirm.ts";
import type { CommandText } from "./service-command.ts";
import { formatLine, toSpawnFields } from "./service-command.ts";
import type { Agent } from "./types.ts";

/** Plans and starts processes: on this machine, or with a custom provider. */
export interface Runner<Started> {
  plan(request: AgentSpawnRequest): PlanResult;
  /** Returns a digest that is equal for equal plans. */
  digest(plan: SpawnPlan): string;
  isolate(plan: SpawnPlan): Promise<PlanResult>;
  start(plan: SpawnPlan): Promise<Outcome<Started>>;
  end(started: Started): void;
}

export interface Job<Started> {
  readonly agent: Agent;
  /** Name of the tool or method. */
  readonly via: string;
  readonly text: CommandText;
  readonly lane: "command" | "session";
  readonly workingDirectory: string | undefined;
  /** Variables that the request adds. */
  readonly added: Readonly<Record<string, string>>;
  readonly input?: Input | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly runner: Runner<Started>;
}

export interface JobDeps {
  /** The user's lists of commands, and pairpty's own files. */
  readonly policy: Pick<PolicyContext, "lists" | "ownFolders" | "ownProgram">;
  readonly limits: ConcurrencyLimits;
  /** Whether the service runs and the agent is attached. */
  readonly isAttached: (agent: Agent) => boolean;
}

/** Runs the job if it is allowed; else returns the reason. */
export async function runJob<Started>(job: Job<Started>, deps: JobDeps): Promise<Outcome<Started>> {
  const { agent, text, via, lane, input, signal } = job;
  const request: AgentSpawnRequest = {
    ...toSpawnFields(text),
    cwd: job.workingDirectory,
    env: job.added,
    input,
    lane,
    lifetime: "held",
  };
  const caller = createCaller(agent, () => deps.isAttached(agent));
  const context = { via, line: formatLine(text), signal };
  return await new Pipeline(createStages(job, deps)).run(caller, request, context);
}

function createStages<Started>(job: Job<Started>, deps: JobDeps): PipelineStages<Started> {
  const { text, runner, agent } = job;
  const { policy, limits } = deps;
  return {
    plan: (_grant, request) => runner.plan(request),
    judge: (draft) => judgeDraft(draft, policy),
    recordJudgement: () => {},
    approve: (question) => approve(agent, formatLine(text), question),
    isolate: (plan) => runner.isolate(plan),
    digest: (grant, plan) =>
      createHash("sha256")
        .update(`${grant} ${runner.digest(plan)}`)
        .digest("hex"),
    start: (plan) => runner.start(plan),
    end: (started) => runner.end(started),
    slots: limits,
    // In a sandbox unknown commands run without an approval.
    inSandbox: "run",
  };
}

async function approve(agent: Agent, command: string, { judgement, plan, context }: Question) {
  const { cwd: workingDirectory, isolation } = plan;
  const asked = { command, level: getConfirmLevel(judgement), workingDirectory, isolation };
  const { why: reasons, notes } = judgement;
  return await confirmWithPerson(agent, { ...asked, reasons, notes }, context.signal);
}

/** Returns the level that a person is asked with; `blocked` counts as dangerous. */
export function getConfirmLevel({ verdict }: Judgement): "unknown" | "dangerous" {
  return verdict === "unknown" ? "unknown" : "dangerous";
}

/** Returns a caller for an agent in this program: no connection, and no token to revoke. */
export function createCaller(agent: Agent, isHere: () => boolean): Caller {
  const grant: Grant = {
    id: agent.id,
    role: "agent",
    scopes: ["read", "spawn"],
    label: agent.id,
    hash: "",
    expiresAt: null,
    session: true,
  };
  return {
    door: { name: "mcp", proof: "socket", sendAll: () => {} },
    since: Date.now(),
    grantId: agent.id,
    grant: () => (isHere() ? grant : undefined),
    send: () => {},
    close: () => {},
  };
}

/** Enough for a program with many agents; stops a loop that starts them. */
export const MAX_COMMANDS = 32;
export const MAX_SESSIONS = 32;

const MAX_BY_LANE: Readonly<Record<AgentLane, number>> = {
  command: MAX_COMMANDS,
  session: MAX_SESSIONS,
  background: 0,
  acp: 0,
};

export class ConcurrencyLimits {
  readonly #running = new Map<AgentLane, number>();

  take(lane: AgentLane): SlotDecision {
    const full = this.whyFull(lane);
    if (full !== undefined) return full;
    this.#add(lane, 1);
    let isTaken = true;
    const release = () => {
      if (isTaken) this.#add(lane, -1);
      isTaken = false;
    };
    // `release` gives it back when the process has ended.
    return { ok: true, slot: { keep: () => {}, release } };
  }

  whyFull(lane: AgentLane): Extract<SlotDecision, { ok: false }> | undefined {
    const most = MAX_BY_LANE[lane];
    if ((this.#running.get(lane) ?? 0) < most) return undefined;
    const error = `this service already runs ${most} ${lane}s; wait for one to end`;
    return { ok: false, error, retryAfterMs: undefined };
  }

  /** Gives a place back after its process has ended. */
  release(lane: AgentLane): void {
    this.#add(lane, -1);
  }

  /** Ignores refusals: the program itself decides how often it calls. */
  countRefusal(): void {}

  tooManyRefusals(): undefined {
    return undefined;
  }

  #add(lane: AgentLane, count: number): void {
    this.#running.set(lane, Math.max(0, (this.#running.get(lane) ?? 0) + count));
  }
}
