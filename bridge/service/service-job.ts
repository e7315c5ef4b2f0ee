// Owns one request of a program's agent on its way through the pipeline: the stages without a
// bridge. The agent's `confirm` asks the person; the runner starts the process.

import { createHash } from "node:crypto";
import { judgeDraft } from "../agents/draft-judgement.ts";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest, Question, PipelineStages } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { PolicyContext } from "../policy/policy.ts";
import type { Input, PlanResult, SpawnPlan } from "../terminals/spawn-plan.ts";
import { confirmWithPerson } from "./confirm.ts";
import type { ConcurrencyLimits } from "./concurrency-limits.ts";
import type { Agent } from "./types.ts";
import type { CommandText } from "./command-text.ts";
import { formatLine, toSpawnFields } from "./command-text.ts";

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
