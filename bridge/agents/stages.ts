// Owns the pipeline's stages as they are for agents on this machine: their folders and environment,
// the command policy, the walls, and the pool. Nobody can be asked yet.

import { thickest } from "../../protocol/isolation.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { who } from "../callers/caller.ts";
import type { Grant } from "../grants/table.ts";
import { digestOf, surroundingsOf } from "../pipeline/digest.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish, Approval, Question, Stages } from "../pipeline/pipeline.ts";
import { Slots } from "../pipeline/slots.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { Walls } from "../providers/walls.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { laneOf } from "../terminals/terminal.ts";
import type { AuditLog } from "../audit/log.ts";
import { withoutSecrets } from "./environment.ts";
import { placeInRoots } from "./roots.ts";

export const NEEDS_APPROVAL = "Command needs approval, and approvals do not exist yet";

const WHY_CHARS = 300;

export interface StageParts {
  readonly pool: Pick<TerminalPool, "plan" | "start" | "running" | "get" | "close">;
  /** Folders that agents may start things in, as real paths. */
  readonly roots: readonly string[];
  /** The command policy: what would run, where, and with which variables added. */
  readonly judge: (
    argv: readonly string[],
    cwd: string,
    added: Readonly<Record<string, string>>,
  ) => Judgement;
  /** The user's; agents' children get it without its secrets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Names in it that reach agents' children though they look like secrets. */
  readonly letThrough?: ReadonlySet<string>;
  readonly audit: Pick<AuditLog, "write">;
  readonly walls: Pick<Walls, "floor" | "whyNot" | "isolate" | "hold">;
  /** Changes with the rules: an answer that was given by others is good no more. */
  readonly policyVersion: string;
}

export function agentStages(parts: StageParts): Stages<Terminal> {
  const { audit, pool, policyVersion, walls } = parts;
  return {
    plan: (grant, wish) => plan(parts, grant, wish),
    judge: ({ command, cwd, added }) => parts.judge(command ?? [], cwd, added),
    judged: (caller, { command, cwd }, { verdict, why }) =>
      audit.write({ event: "verdict", ...who(caller), arguments: { command, cwd }, verdict, why }),
    approve: async (question) => nobodyToAsk(question),
    isolate: (planned) => walls.isolate(planned),
    digest: (grant, planned) => digestOf(grant, planned, surroundingsOf(planned), policyVersion),
    start: (isolated) => start(parts, isolated),
    end: ({ id }) => {
      const terminal = pool.get(id);
      if (terminal !== undefined) void pool.close(terminal, "its agent's grant has ended");
    },
    slots: new Slots((lane) => pool.running().filter(({ meta }) => laneOf(meta) === lane).length),
  };
}

function plan(parts: StageParts, grant: Grant, wish: AgentWish): Planned {
  const { pool, roots, environment, letThrough, walls } = parts;
  // The folder as it is, before anything is said about what runs in it: a link is no way around.
  const placed = placeInRoots(wish.cwd ?? ".", roots);
  if (!placed.ok) return placed;
  // A call may ask for more than its grant and the user's settings do, never for less.
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

function nobodyToAsk({ judgement }: Question): Approval {
  const why = judgement.why.join("; ").slice(0, WHY_CHARS);
  return { ok: false, error: `${NEEDS_APPROVAL}: ${why}` };
}

async function start({ pool, walls }: StageParts, planned: SpawnPlan): Promise<Outcome<Terminal>> {
  const release = walls.hold(planned.isolation);
  try {
    const result = await pool.start(planned);
    return result.ok ? { ok: true, value: result.terminal } : { ok: false, error: result.error };
  } finally {
    // Once it runs, it holds for itself.
    release();
  }
}
