// Owns what a program's wish comes to on this machine: folder, program and environment, without the
// secrets of the program's own. Looks at files; starts nothing.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { withoutSecrets } from "../agents/environment.ts";
import { systemCode } from "../errors.ts";
import type { Planned, SpawnWish } from "../terminals/plan.ts";
import { planSpawn } from "../terminals/plan.ts";
import type { ExecuteCommandOptions } from "./types.ts";

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
