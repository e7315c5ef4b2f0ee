// Owns running commands with a provider that a program registered: which methods it has, and a plan
// of the command. The provider decides where and how it runs, so nothing is resolved on this
// machine.

import { createHash } from "node:crypto";
import { messageOf } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentWish } from "../pipeline/pipeline.ts";
import type { Planned } from "../terminals/plan.ts";
import type { Runner } from "./job.ts";
import type { Running } from "./running.ts";
import { failed, overResult } from "./running.ts";
import type {
  ExecuteCommandResult,
  PartialTerminalProvider,
  TerminalIsolationLevel,
  TerminalProvider,
} from "./types.ts";

/** All required methods of the interface. */
const METHODS = [
  "executeCommand",
  "runScript",
  "startInteractiveSession",
  "sendInput",
  "collectOutput",
  "terminateSession",
  "getSessionStatus",
  "getIsolationLevel",
] as const satisfies readonly (keyof TerminalProvider)[];

/** Methods that a provider must have; others may be missing, and throw when called. */
const NEEDED = ["executeCommand", "runScript"] as const;

/**
 * Returns the provider with every method: missing ones throw an error that names them. Its
 * isolation is `none` unless it reports another. Throws if it cannot run a command.
 */
export function wholeProvider(name: string, provider: PartialTerminalProvider): TerminalProvider {
  const needed = NEEDED.find((method) => typeof provider[method] !== "function");
  if (needed !== undefined) {
    throw new Error(
      `The terminal provider "${name}" has no ${needed}(), so it cannot run commands.`,
    );
  }
  if (isWhole(provider)) return provider;
  const whole: TerminalProvider = Object.create(provider, {});
  for (const method of missing(provider)) {
    const value = method === "getIsolationLevel" ? () => "none" : lacking(name, method);
    Object.defineProperty(whole, method, { value });
  }
  return whole;
}

function missing(provider: PartialTerminalProvider): (typeof METHODS)[number][] {
  return METHODS.filter((method) => typeof provider[method] !== "function");
}

function isWhole(provider: PartialTerminalProvider): provider is TerminalProvider {
  return missing(provider).length === 0;
}

function lacking(name: string, method: string): () => never {
  return () => {
    throw new Error(
      `The terminal provider "${name}" has no ${method}(): it runs commands but has no sessions.`,
    );
  };
}

/** Returns a runner for the pipeline that makes one call of the provider. */
export function foreignRunner<Started>(
  start: () => Promise<Outcome<Started>>,
  end: (started: Started) => void,
  isolation: TerminalIsolationLevel,
  folder: string,
): Runner<Started> {
  return {
    plan: (wish) => planForeign(wish, isolation, folder),
    digest: ({ argv, cwd, added }) =>
      createHash("sha256")
        .update(JSON.stringify([argv, cwd, added]))
        .digest("hex"),
    isolate: async (plan) => ({ ok: true, plan }),
    start,
    end,
  };
}

/** Starts the provider's call; only the provider can end it. */
export async function startForeign(
  call: () => Promise<ExecuteCommandResult>,
): Promise<Outcome<Running>> {
  const result = call().catch((error: unknown) => failed(messageOf(error)));
  return { ok: true, value: { run: overResult(result), result: () => result } };
}

/** Plans the command as given. `folder` is the default folder. */
function planForeign(wish: AgentWish, isolation: TerminalIsolationLevel, folder: string): Planned {
  const { line, input, env: added = {}, lane, lifetime, cwd = folder } = wish;
  const command = line === undefined ? (wish.command ?? []) : ["sh", "-c", line];
  const [program, ...args] = command;
  if (program === undefined || program === "") return { ok: false, error: "The command is empty" };
  return {
    ok: true,
    plan: {
      command,
      line,
      input,
      argv: [program, ...args],
      cwd,
      env: {},
      added,
      size: { cols: 80, rows: 24 },
      lane,
      lifetime,
      retain: undefined,
      isolation,
      startedBy: undefined,
    },
  };
}
