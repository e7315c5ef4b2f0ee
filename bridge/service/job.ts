// Owns one wish of a program's agent on its way through the pipeline: the stages as they are without
// a bridge. The person who is asked is behind the agent's `confirm`; what runs is the runner's.

import { createHash } from "node:crypto";
import type { Caller } from "../callers/caller.ts";
import type { Grant } from "../grants/table.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish, Question, Stages } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { PolicyContext } from "../policy/policy.ts";
import { judgeArgv, judgeShell } from "../policy/policy.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import { askPerson } from "./asking.ts";
import type { Places } from "./places.ts";
import type { Agent } from "./types.ts";
import type { CommandText } from "./words.ts";
import { argvOf, lineOf } from "./words.ts";

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
  const { agent, text, via, lane } = job;
  const wish: AgentWish = {
    command: argvOf(text),
    cwd: job.workingDirectory,
    env: job.added,
    lane,
    lifetime: "held",
  };
  const caller = callerFor(agent, () => parts.isHere(agent));
  return await new Pipeline(stagesOf(job, parts)).run(caller, wish, { via, line: lineOf(text) });
}

function stagesOf<Started>(job: Job<Started>, parts: JobParts): Stages<Started> {
  const { text, runner, agent } = job;
  const { policy, places } = parts;
  return {
    plan: (_grant, wish) => runner.plan(wish),
    judge: ({ cwd, added }) => {
      const context = { ...policy, cwd, env: added };
      return text.kind === "line" ? judgeShell(text.line, context) : judgeArgv(text.words, context);
    },
    judged: () => {},
    unwalled: () => {},
    approve: (question) => approve(agent, job, question),
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

async function approve<Started>(agent: Agent, { text }: Job<Started>, question: Question) {
  const { judgement, plan } = question;
  return await askPerson(agent, {
    command: lineOf(text),
    // What is safe does not come here; what is blocked is asked about as the dangerous is.
    level: judgement.verdict === "unknown" ? "unknown" : "dangerous",
    reasons: judgement.why,
    workingDirectory: plan.cwd,
    isolation: plan.isolation,
  });
}

/** In this very program: it speaks at no door, and there is no token to revoke. */
function callerFor(agent: Agent, isHere: () => boolean): Caller {
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
