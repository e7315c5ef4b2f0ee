// Owns running commands with a provider that a program registered: which methods it has, and a plan
// of the command. The provider decides where and how it runs, so nothing is resolved on this
// machine.

import { createHash } from "node:crypto";
import { errorMessage } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { AgentSpawnRequest } from "../pipeline/pipeline.ts";
import type { PlanResult } from "../terminals/spawn-plan.ts";
import type { Runner } from "./service-job.ts";
import type { RunningCommand } from "./command-result.ts";
import { failedResult, toRun } from "./command-result.ts";
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
const REQUIRED_METHODS = ["executeCommand", "runScript"] as const;

/**
 * Returns the provider with every method: missing ones throw an error that names them. Its
 * isolation is `none` unless it reports another. Throws if it cannot run a command.
 */
export function completeProvider(
  name: string,
  provider: PartialTerminalProvider,
): TerminalProvider {
  const needed = REQUIRED_METHODS.find((method) => typeof provider[method] !== "function");
  if (needed !== undefined) {
    throw new Error(
      `The terminal provider "${name}" has no ${needed}(), so it cannot run commands.`,
    );
  }
  if (isComplete(provider)) return provider;
  const whole: TerminalProvider = Object.create(provider, {});
  for (const method of listMissing(provider)) {
    const value = method === "getIsolationLevel" ? () => "none" : throwMissing(name, method);
    Object.defineProperty(whole, method, { value });
  }
  return whole;
}

function listMissing(provider: PartialTerminalProvider): (typeof METHODS)[number][] {
  return METHODS.filter((method) => typeof provider[method] !== "function");
}

function isComplete(provider: PartialTerminalProvider): provider is TerminalProvider {
  return listMissing(provider).length === 0;
}

function throwMissing(name: string, method: string): () => never {
  return () => {
    throw new Error(
      `The terminal provider "${name}" has no ${method}(): it runs commands but has no sessions.`,
    );
  };
}

/** Returns a runner for the pipeline that makes one call of the provider. */
export function customRunner<Started>(
  start: () => Promise<Outcome<Started>>,
  end: (started: Started) => void,
  isolation: TerminalIsolationLevel,
  folder: string,
): Runner<Started> {
  return {
    plan: (request) => planCustom(request, isolation, folder),
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
export async function startCustom(
  call: () => Promise<ExecuteCommandResult>,
): Promise<Outcome<RunningCommand>> {
  const result = call().catch((error: unknown) => failedResult(errorMessage(error)));
  return { ok: true, value: { run: toRun(result), result: () => result } };
}

/** Plans the command as given. `folder` is the default folder. */
function planCustom(
  request: AgentSpawnRequest,
  isolation: TerminalIsolationLevel,
  folder: string,
): PlanResult {
  const { line, input, env: added = {}, lane, lifetime, cwd = folder } = request;
  const command = line === undefined ? (request.command ?? []) : ["sh", "-c", line];
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
