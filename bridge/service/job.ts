// Owns one request of a program's agent on its way through the pipeline: the stages without a
// bridge. The agent's `confirm` asks the person; the runner starts the process.

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

/** Plans and starts processes: on this machine, or with a custom provider. */
export interface Runner<Started> {
  plan(wish: AgentWish): Planned;
  /** Returns a digest that is equal for equal plans. */
  digest(plan: SpawnPlan): string;
  isolate(plan: SpawnPlan): Promise<Planned>;
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

export interface JobParts {
  /** The user's lists of commands, and pairpty's own files. */
  readonly policy: Pick<PolicyContext, "lists" | "ownFolders" | "ownProgram">;
  readonly places: Places;
  /** Whether the service runs and the agent is attached. */
  readonly isHere: (agent: Agent) => boolean;
}

/** Runs the job if it is allowed; else returns the reason. */
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
    // In a sandbox unknown commands run without an approval.
    inSandbox: "run",
  };
}

async function approve(agent: Agent, command: string, { judgement, plan, asking }: Question) {
  const { cwd: workingDirectory, isolation } = plan;
  const asked = { command, level: askedAs(judgement), workingDirectory, isolation };
  return await askPerson(agent, { ...asked, reasons: judgement.why }, asking.signal);
}

/** Returns the level that a person is asked with; `blocked` counts as dangerous. */
export function askedAs({ verdict }: Judgement): "unknown" | "dangerous" {
  return verdict === "unknown" ? "unknown" : "dangerous";
}

/** Returns a caller for an agent in this program: no connection, and no token to revoke. */
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
