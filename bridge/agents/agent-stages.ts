// Owns the pipeline's stages for agents on this machine: their folders and environment, the command
// policy, approvals, sandboxes, and the pool.

import { strictest } from "../../protocol/isolation.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { findApprovalBasis } from "../approvals/approval-basis.ts";
import { canWrite } from "../approvals/approval-rules.ts";
import { toAuditName } from "../callers/caller.ts";
import type { Commands } from "../commands/commands.ts";
import type { CommandRun } from "../commands/command-run.ts";
import type { Grant } from "../grants/grant-table.ts";
import { computeDigest, getPlanFiles } from "../pipeline/pipeline.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest, Question, PipelineStages } from "../pipeline/pipeline.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { Slots } from "../pipeline/slots.ts";
import type { InSandbox, Judgement } from "../pipeline/verdicts.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import type { PlanDraft, PlanResult, SpawnPlan } from "../terminals/spawn-plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { getLane } from "../terminals/terminal.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { withPlainPagers, withoutSecrets, resolveInRoots } from "./environment.ts";
import type { CommandMirrors } from "./command-mirrors.ts";

export interface AgentStagesDeps {
  readonly pool: Pick<TerminalPool, "plan" | "start" | "running" | "get" | "close">;
  /** Folders in which agents may start things, as real paths. */
  readonly roots: readonly string[];
  /** Judges what would run, where, and with which added variables. */
  readonly judge: (draft: PlanDraft) => Judgement;
  /** Commands with pipes, which count beside the pool's terminals. */
  readonly runs?: { running(): readonly unknown[] };
  /** The user's environment; agents' processes get it without secrets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Names of variables that reach agents' processes although they look like secrets. */
  readonly envAllowlist?: ReadonlySet<string>;
  readonly audit: Pick<AuditLog, "write">;
  readonly sandboxes: Pick<
    IsolationService,
    "floor" | "findProblem" | "isolate" | "hold" | "listNotes"
  >;
  readonly approvals: Pick<Approvals, "request">;
  /** Whether unknown commands need an approval in a sandbox, too. */
  readonly inSandbox: InSandbox;
  /** Changes with the policy's rules, so that answers under older rules no longer count. */
  readonly policyVersion: string;
}

export function agentStages(deps: AgentStagesDeps): PipelineStages<Terminal> {
  const { pool, audit, policyVersion, inSandbox, sandboxes } = deps;
  return {
    inSandbox,
    plan: (grant, request) => plan(deps, grant, request),
    judge: deps.judge,
    recordJudgement: (caller, { command, line, cwd }, { verdict, why }) => {
      const args = { command: line ?? command, cwd };
      audit.write({ event: "verdict", ...toAuditName(caller), arguments: args, verdict, why });
    },
    approve: (question) => approve(deps, question),
    isolate: (planned) => sandboxes.isolate(planned),
    digest: (grant, planned) => computeDigest(grant, planned, getPlanFiles(planned), policyVersion),
    start: (isolated) => start(deps, isolated),
    end: ({ id }) => {
      const terminal = pool.get(id);
      if (terminal !== undefined)
        void pool.close(terminal, "its agent's token has expired or was revoked");
    },
    slots: new Slots((lane) => {
      // A promoted terminal is the user's and takes no slot.
      const isCounted = ({ meta }: PoolTerminal) =>
        getLane(meta) === lane && meta.owner === "agent" && meta.feed !== true;
      const terminals = pool.running().filter(isCounted).length;
      return terminals + (lane === "command" ? (deps.runs?.running().length ?? 0) : 0);
    }),
  };
}

/** Returns the same stages and slots for commands with pipes. */
export function commandStages(
  stages: PipelineStages<Terminal>,
  commands: Pick<Commands, "start">,
  isolationService: Pick<IsolationService, "hold">,
  feeds: Pick<CommandMirrors, "prepare">,
): PipelineStages<CommandRun> {
  return {
    ...stages,
    // Called here, because it may take a moment and the pipeline checks the grant again afterwards.
    isolate: async (planned) => {
      const { startedBy } = planned;
      const seen = startedBy === undefined ? undefined : await feeds.prepare(startedBy);
      return seen?.ok === false ? seen : await stages.isolate(planned);
    },
    start: (planned) => startCommand(commands, isolationService, planned),
    end: (run) => void run.end("stopped"),
  };
}

/** Returns the same stages for sessions, which get their number when they start. */
export function sessionStages(
  stages: PipelineStages<Terminal>,
  registry: Pick<SessionRegistry, "nextNumber">,
) {
  const numbered: PipelineStages<Terminal> = {
    ...stages,
    start: (planned) => stages.start({ ...planned, session: registry.nextNumber() }),
  };
  return numbered;
}

function plan(deps: AgentStagesDeps, grant: Grant, request: AgentSpawnRequest): PlanResult {
  const { pool, roots, environment, envAllowlist, sandboxes } = deps;
  // Resolve symlinks first, so that a link cannot lead out of the shared folders.
  const placed = resolveInRoots(request.cwd ?? ".", roots);
  if (!placed.ok) return placed;
  // A call may raise the isolation above the grant's and the user's, never lower it.
  const isolation = strictest(grant.isolation, sandboxes.floor, request.isolation);
  const whyNot = sandboxes.findProblem(isolation);
  if (whyNot !== undefined) return { ok: false, error: whyNot };
  return pool.plan({
    ...request,
    cwd: placed.path,
    isolation,
    startedBy: { grant: grant.id, label: grant.label },
    environment: withoutSecrets(environment, envAllowlist),
  });
}

async function approve({ approvals, roots, sandboxes }: AgentStagesDeps, question: Question) {
  const { caller, context, plan: planned, judgement, digest } = question;
  const { cwd, env, added, isolation } = planned;
  const words = planned.command ?? planned.argv;
  const { note, subject } = context;
  if (context.isAllowed?.(planned) === true) return { ok: true } as const;
  const notes = await sandboxes.listNotes(isolation);
  const commandContext = {
    line: context.line ?? planned.line,
    words,
    cwd,
    path: env["PATH"] ?? "",
    addsVariables: Object.keys(added).length > 0,
    // A prefix rule covers the line only, and input differs from call to call.
    isUnknown: judgement.verdict === "unknown" && (planned.input?.text ?? "") === "",
    canWrite: (path: string) => canWrite(path, roots),
    roots,
  };
  return await approvals.request({
    caller,
    kind: "command",
    via: context.via,
    command: context.line ?? planned.line ?? words,
    cwd,
    judgement: withNotes(judgement, [...(note === undefined ? [] : [note]), ...notes]),
    isolation,
    basis: findApprovalBasis(commandContext),
    key: digest,
    subject,
    // ACP clients wait as long as it takes.
    waitsUntilSettled: planned.lane === "acp",
    signal: context.signal,
    client: context.client,
  });
}

function withNotes(judgement: Judgement, notes: readonly string[]): Judgement {
  if (notes.length === 0) return judgement;
  const { why, notes: before = [] } = judgement;
  return { ...judgement, why: [...why, ...notes], notes: [...before, ...notes] };
}

async function startCommand(
  commands: Pick<Commands, "start">,
  isolationService: Pick<IsolationService, "hold">,
  planned: SpawnPlan,
): Promise<Outcome<CommandRun>> {
  const release = isolationService.hold(planned);
  let isStarted = false;
  try {
    const started = await commands.start(planned);
    isStarted = started.ok;
    if (started.ok) void started.value.finished.then(release);
    return started;
  } finally {
    if (!isStarted) release();
  }
}

async function start(
  { pool, sandboxes }: AgentStagesDeps,
  planned: SpawnPlan,
): Promise<Outcome<Terminal>> {
  const release = sandboxes.hold(planned);
  try {
    const result = await pool.start(withPlainPagers(planned));
    return result.ok ? { ok: true, value: result.terminal } : { ok: false, error: result.error };
  } finally {
    // A started terminal holds the sandbox itself.
    release();
  }
}
