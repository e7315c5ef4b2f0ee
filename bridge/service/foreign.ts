// Owns running things by a provider that a program registered: what it can do, and a plan of what
// it is told. Where and how it runs that is its own affair, so nothing is looked for on this machine.

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

/** Every method of the seed's interface. */
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

/** What a provider must have; the rest may be missing, and is an error when it is called. */
const NEEDED = ["executeCommand", "runScript"] as const;

/**
 * The same provider with every method: those that it lacks throw an error which names them. A level
 * of isolation that it does not tell is `none`. Throws when it cannot even run a command.
 */
export function wholeProvider(name: string, provider: PartialTerminalProvider): TerminalProvider {
  const needed = NEEDED.find((method) => typeof provider[method] !== "function");
  if (needed !== undefined) {
    throw new Error(`The terminal provider "${name}" has no ${needed}(), so it can run nothing.`);
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
      `The terminal provider "${name}" has no ${method}(): it runs commands, and has no sessions.`,
    );
  };
}

/** For the pipeline: one call of the provider, planned as it was asked for. */
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

/** It runs from here on, and nobody can end it but its provider. */
export async function startForeign(
  call: () => Promise<ExecuteCommandResult>,
): Promise<Outcome<Running>> {
  const result = call().catch((error: unknown) => failed(messageOf(error)));
  return { ok: true, value: { run: overResult(result), result: () => result } };
}

/** `folder` is where it is said to run when the wish does not say. */
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
