// Owns one wish of a program's agent on its way through the pipeline: the stages as they are without
// a bridge. The person who is asked is behind the agent's `confirm`; what runs is the runner's.

import { createHash } from "node:crypto";
import { judgeDraft } from "../agents/judging.ts";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/table.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish, Question, Stages } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { PolicyContext } from "../policy/policy.ts";
import type { Input, Planned, SpawnPlan } from "../terminals/plan.ts";
import { askPerson } from "./asking.ts";
import type { Places } from "./places.ts";
import type { Agent } from "./types.ts";
import type { CommandText } from "./words.ts";
import { lineOf, wishOf } from "./words.ts";

/** How something is planned and started: by this machine, or by a provider that somebody wrote. */
export interface Runner<Started> {
  plan(wish: AgentWish): Planned;
  /** What makes two plans the same. */
  digest(plan: SpawnPlan): string;
  isolate(plan: SpawnPlan): Promise<Planned>;
  start(plan: SpawnPlan): Promise<Outcome<Started>>;
  end(started: Started): void;
}

export interface Job<Started> {
  readonly agent: Agent;
  /** The tool or method that asks. */
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

export interface JobParts {
  /** Of the policy: what the user calls safe, and what is ours. */
  readonly policy: Pick<PolicyContext, "lists" | "ownFolders" | "ownProgram">;
  readonly places: Places;
  /** False once the service was stopped, or has let the agent go. */
  readonly isHere: (agent: Agent) => boolean;
}

/** Runs it if it may run; else the sentence that says why not. */
export async function runJob<Started>(
  job: Job<Started>,
  parts: JobParts,
): Promise<Outcome<Started>> {
  const { agent, text, via, lane, input, signal } = job;
  const wish: AgentWish = {
    ...wishOf(text),
    cwd: job.workingDirectory,
    env: job.added,
    input,
    lane,
    lifetime: "held",
  };
  const caller = callerFor(agent, () => parts.isHere(agent));
  const asking = { via, line: lineOf(text), signal };
  return await new Pipeline(stagesOf(job, parts)).run(caller, wish, asking);
}

function stagesOf<Started>(job: Job<Started>, parts: JobParts): Stages<Started> {
  const { text, runner, agent } = job;
  const { policy, places } = parts;
  return {
    plan: (_grant, wish) => runner.plan(wish),
    judge: (draft) => judgeDraft(draft, policy),
    judged: () => {},
    approve: (question) => approve(agent, lineOf(text), question),
    isolate: (plan) => runner.isolate(plan),
    digest: (grant, plan) =>
      createHash("sha256")
        .update(`${grant} ${runner.digest(plan)}`)
        .digest("hex"),
    start: (plan) => runner.start(plan),
    end: (started) => runner.end(started),
    slots: places,
    // Behind a wall of its own a command need not be known.
    inSandbox: "run",
  };
}

async function approve(agent: Agent, command: string, { judgement, plan, asking }: Question) {
  const { cwd: workingDirectory, isolation } = plan;
  const asked = { command, level: askedAs(judgement), workingDirectory, isolation };
  return await askPerson(agent, { ...asked, reasons: judgement.why }, asking.signal);
}

/** What is safe is not asked about; what is blocked is, as the dangerous is. */
export function askedAs({ verdict }: Judgement): "unknown" | "dangerous" {
  return verdict === "unknown" ? "unknown" : "dangerous";
}

/** In this very program: it speaks at no door, and there is no token to revoke. */
export function callerFor(agent: Agent, isHere: () => boolean): Caller {
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
    door: { name: "mcp", tellAll: () => {} },
    since: Date.now(),
    grantId: agent.id,
    grant: () => (isHere() ? grant : undefined),
    tell: () => {},
    close: () => {},
  };
}
