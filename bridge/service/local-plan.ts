// Owns the plan of a program's request on this machine: folder, program and environment, without
// the program's secrets. Reads files; starts nothing.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { withoutSecrets } from "../agents/environment.ts";
import { findSystemCode } from "../errors.ts";
import type { PlanResult, SpawnRequest } from "../terminals/spawn-plan.ts";
import { planSpawn } from "../terminals/spawn-plan.ts";
import type { ExecuteCommandOptions } from "./types.ts";

export interface LocalPlanContext {
  /** Base of relative folders. */
  readonly folder: string;
  readonly shell: string;
  /** The program's environment; child processes get it without secrets. */
  readonly environment: NodeJS.ProcessEnv;
  /** Names of variables that child processes get although they look like secrets. */
  readonly envAllowlist: ReadonlySet<string>;
}

/** Splits the request's variables into those to add and those to remove. */
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
  request: Omit<SpawnRequest, "environment" | "startedBy">,
  { folder, shell, environment, envAllowlist }: LocalPlanContext,
  removed: ReadonlySet<string> = new Set(),
): PlanResult {
  const entries = Object.entries(withoutSecrets(environment, envAllowlist));
  const kept = Object.fromEntries(entries.filter(([name]) => !removed.has(name)));
  const cwd = realFolder(request.cwd ?? ".", folder);
  return planSpawn({ ...request, cwd, environment: kept }, { folder, shell, environment: kept });
}

/** Resolves symlinks, so that the policy judges the real folder. The plan reports a missing one. */
function realFolder(cwd: string, base: string): string {
  const path = resolve(base, cwd);
  try {
    return realpathSync(path);
  } catch (error) {
    if (findSystemCode(error) === undefined) throw error;
    return path;
  }
}
