// Owns commands on this machine for one service: planned here, run by pipes, their result as the
// seed has it. What may run was decided before.

import { realpathSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import { withoutSecrets } from "../agents/environment.ts";
import type { CommandRun } from "../commands/run.ts";
import type { Commands } from "../commands/commands.ts";
import type { KeptOutput } from "../commands/kept.ts";
import { systemCode } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { Planned, SpawnPlan, SpawnWish } from "../terminals/plan.ts";
import { planSpawn } from "../terminals/plan.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ExecuteCommandOptions, ExecuteCommandResult } from "./types.ts";

/** A command that is running, and what comes of it. */
export interface Running {
  readonly result: Promise<ExecuteCommandResult>;
  end(): void;
}

export interface Surroundings {
  /** Where relative folders start. */
  readonly folder: string;
  readonly shell: string;
  /** The program's own; children get it without its secrets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Names in it that they get though they look like secrets. */
  readonly letThrough: ReadonlySet<string>;
}

/** What the request adds to the environment, and the names that it takes away. */
export function splitEnvironment(env: ExecuteCommandOptions["env"] = {}): {
  readonly added: Record<string, string>;
  readonly removed: ReadonlySet<string>;
} {
  const added: Record<string, string> = {};
  const removed = new Set<string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) removed.add(name);
    else added[name] = value;
  }
  return { added, removed };
}

export function planLocal(
  wish: Omit<SpawnWish, "environment" | "startedBy">,
  { folder, shell, environment, letThrough }: Surroundings,
  removed: ReadonlySet<string> = new Set(),
): Planned {
  const entries = Object.entries(withoutSecrets(environment, letThrough));
  const kept = Object.fromEntries(entries.filter(([name]) => !removed.has(name)));
  const cwd = realFolder(wish.cwd ?? ".", folder);
  return planSpawn({ ...wish, cwd, environment: kept }, { folder, shell, environment: kept });
}

/** The policy judges where a command really runs. One that is not there is the plan's to tell. */
function realFolder(cwd: string, base: string): string {
  const path = resolve(base, cwd);
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path;
  }
}

export async function startCommand(
  commands: Pick<Commands, "start">,
  plan: SpawnPlan,
  { input, timeoutSeconds }: Pick<ExecuteCommandOptions, "input" | "timeoutSeconds">,
): Promise<Outcome<Running>> {
  const typed = input === undefined ? undefined : { text: input, staysOpen: false };
  const started = await commands.start({ ...plan, input: typed });
  if (!started.ok) return started;
  const run = started.value;
  run.endAfter(timeoutSeconds * 1_000);
  const result = run.finished.then(async () => {
    // Its tree is still being ended: whoever is told that it was, should find it so.
    if (run.life.state === "ended" && run.life.by !== undefined) await run.end(run.life.by);
    return resultOf(run, timeoutSeconds);
  });
  return { ok: true, value: { result, end: () => void run.end("stopped") } };
}

export function failed(error: string): ExecuteCommandResult {
  return { ok: false, output: "", exitCode: -1, stdout: "", stderr: "", error };
}

function resultOf({ life, stdout, stderr, output }: CommandRun, seconds: number) {
  const exit = life.state === "ended" ? life.exit : { exitCode: null, signal: null };
  const by = life.state === "ended" ? life.by : undefined;
  const exitCode = codeOf(exit);
  const told = {
    ok: exitCode === 0 && by === undefined,
    output: textOf(output),
    exitCode,
    stdout: textOf(stdout),
    stderr: textOf(stderr),
  };
  const error = whyEnded(exit, by, seconds);
  return error === undefined ? told : { ...told, error };
}

function whyEnded({ signal }: Exit, by: "timeout" | "stopped" | undefined, seconds: number) {
  if (by === "timeout") {
    return `Timed out after ${seconds} s: the command and everything that it started was ended`;
  }
  if (by === "stopped") return "The service was stopped, and the command with it";
  return signal === null ? undefined : `Ended by ${signal}`;
}

/** As shells tell it; -1 where nobody knows. */
function codeOf({ exitCode, signal }: Exit): number {
  if (exitCode !== null) return exitCode;
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  return number === undefined ? -1 : 128 + number;
}

/** Whole, unless it was more than is kept. */
function textOf(kept: KeptOutput): string {
  const pieces = kept.read().map(({ bytes }) => bytes.toString("utf8"));
  return pieces.join(`\n[cut: ${kept.lost} bytes]\n`);
}
