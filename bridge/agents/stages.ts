// Owns the pipeline's stages for agents on this machine: their folders and environment, the command
// policy, approvals, sandboxes, and the pool.

import { thickest } from "../../protocol/isolation.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { footingOf } from "../approvals/footing.ts";
import { canWrite } from "../approvals/places.ts";
import { who } from "../callers/caller.ts";
import type { Commands } from "../commands/commands.ts";
import type { CommandRun } from "../commands/run.ts";
import type { Grant } from "../grants/table.ts";
import { digestOf, surroundingsOf } from "../pipeline/digest.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish, Question, Stages } from "../pipeline/pipeline.ts";
import { Slots } from "../pipeline/slots.ts";
import type { InSandbox, Judgement } from "../pipeline/verdicts.ts";
import type { Walls } from "../providers/walls.ts";
import type { Draft, Planned, SpawnPlan } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { laneOf } from "../terminals/terminal.ts";
import type { AuditLog } from "../audit/log.ts";
import { withPlainPagers, withoutSecrets } from "./environment.ts";
import type { Feeds } from "./feeds.ts";
import { placeInRoots } from "./roots.ts";

export interface StageParts {
  readonly pool: Pick<TerminalPool, "plan" | "start" | "running" | "get" | "close">;
  /** Folders in which agents may start things, as real paths. */
  readonly roots: readonly string[];
  /** Judges what would run, where, and with which added variables. */
  readonly judge: (draft: Draft) => Judgement;
  /** Commands with pipes, which count beside the pool's terminals. */
  readonly runs?: { running(): readonly unknown[] };
  /** The user's environment; agents' processes get it without secrets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Names of variables that reach agents' processes although they look like secrets. */
  readonly letThrough?: ReadonlySet<string>;
  readonly audit: Pick<AuditLog, "write">;
  readonly walls: Pick<Walls, "floor" | "whyNot" | "isolate" | "hold" | "notes">;
  readonly approvals: Pick<Approvals, "ask">;
  /** Whether unknown commands need an approval in a sandbox, too. */
  readonly inSandbox: InSandbox;
  /** Changes with the policy's rules, so that answers under older rules no longer count. */
  readonly policyVersion: string;
}

export function agentStages(parts: StageParts): Stages<Terminal> {
  const { pool, audit, policyVersion, inSandbox, walls } = parts;
  return {
    inSandbox,
    plan: (grant, wish) => plan(parts, grant, wish),
    judge: (draft) => parts.judge(draft),
    judged: (caller, { command, line, cwd }, { verdict, why }) => {
      const args = { command: line ?? command, cwd };
      audit.write({ event: "verdict", ...who(caller), arguments: args, verdict, why });
    },
    approve: (question) => approve(parts, question),
    isolate: (planned) => walls.isolate(planned),
    digest: (grant, planned) => digestOf(grant, planned, surroundingsOf(planned), policyVersion),
    start: (isolated) => start(parts, isolated),
    end: ({ id }) => {
      const terminal = pool.get(id);
      if (terminal !== undefined) void pool.close(terminal, "its agent's grant has ended");
    },
    slots: new Slots((lane) => {
      // A promoted terminal is the user's and takes no slot.
      const isCounted = ({ meta }: PoolTerminal) =>
        laneOf(meta) === lane && meta.owner === "agent" && meta.feed !== true;
      const terminals = pool.running().filter(isCounted).length;
      return terminals + (lane === "command" ? (parts.runs?.running().length ?? 0) : 0);
    }),
  };
}

/** Returns the same stages, with the same slots, for commands with pipes. */
export function commandStages(
  stages: Stages<Terminal>,
  commands: Pick<Commands, "start">,
  walls: Pick<Walls, "hold">,
  feeds: Pick<Feeds, "prepare">,
): Stages<CommandRun> {
  return {
    ...stages,
    // Here, because the pipeline checks the grant again afterwards: this may take a moment.
    isolate: async (planned) => {
      const { startedBy } = planned;
      const seen = startedBy === undefined ? undefined : await feeds.prepare(startedBy);
      return seen?.ok === false ? seen : await stages.isolate(planned);
    },
    start: (planned) => startCommand(commands, walls, planned),
    end: (run) => void run.end("stopped"),
  };
}

/** Returns the same stages for sessions, which get their number when they start. */
export function sessionStages(stages: Stages<Terminal>, nextNumber: () => number) {
  const numbered: Stages<Terminal> = {
    ...stages,
    start: (planned) => stages.start({ ...planned, session: nextNumber() }),
  };
  return numbered;
}

function plan(parts: StageParts, grant: Grant, wish: AgentWish): Planned {
  const { pool, roots, environment, letThrough, walls } = parts;
  // Resolve symlinks first, so that a link cannot lead out of the shared folders.
  const placed = placeInRoots(wish.cwd ?? ".", roots);
  if (!placed.ok) return placed;
  // A call may raise the isolation above the grant's and the user's, never lower it.
  const isolation = thickest(grant.isolation, walls.floor, wish.isolation);
  const whyNot = walls.whyNot(isolation);
  if (whyNot !== undefined) return { ok: false, error: whyNot };
  return pool.plan({
    ...wish,
    cwd: placed.path,
    isolation,
    startedBy: { grant: grant.id, label: grant.label },
    environment: withoutSecrets(environment, letThrough),
  });
}

async function approve({ approvals, roots, walls }: StageParts, question: Question) {
  const { caller, asking, plan: planned, judgement, digest } = question;
  const { cwd, env, added, isolation } = planned;
  const words = planned.command ?? planned.argv;
  const { note, subject } = asking;
  if (asking.isAllowed?.(planned) === true) return { ok: true } as const;
  const notes = await walls.notes(isolation);
  const running = {
    line: asking.line ?? planned.line,
    words,
    cwd,
    path: env["PATH"] ?? "",
    addsVariables: Object.keys(added).length > 0,
    // A prefix rule covers the line only, and input differs from call to call.
    isUnknown: judgement.verdict === "unknown" && (planned.input?.text ?? "") === "",
    canWrite: (path: string) => canWrite(path, roots),
    roots,
  };
  return await approvals.ask({
    caller,
    kind: "command",
    via: asking.via,
    command: asking.line ?? planned.line ?? words,
    cwd,
    judgement: noted(judgement, [...(note === undefined ? [] : [note]), ...notes]),
    isolation,
    footing: footingOf(running),
    key: digest,
    subject,
    // ACP clients wait as long as it takes.
    waitsOn: planned.lane === "acp",
    signal: asking.signal,
    side: asking.side,
  });
}

function noted(judgement: Judgement, notes: readonly string[]): Judgement {
  if (notes.length === 0) return judgement;
  const { why, notes: before = [] } = judgement;
  return { ...judgement, why: [...why, ...notes], notes: [...before, ...notes] };
}

async function startCommand(
  commands: Pick<Commands, "start">,
  walls: Pick<Walls, "hold">,
  planned: SpawnPlan,
): Promise<Outcome<CommandRun>> {
  const release = walls.hold(planned);
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

async function start({ pool, walls }: StageParts, planned: SpawnPlan): Promise<Outcome<Terminal>> {
  const release = walls.hold(planned);
  try {
    const result = await pool.start(withPlainPagers(planned));
    return result.ok ? { ok: true, value: result.terminal } : { ok: false, error: result.error };
  } finally {
    // A started terminal holds the sandbox itself.
    release();
  }
}
