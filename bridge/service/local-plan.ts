// Owns the plan of a program's request on this machine: folder, program and environment, without
// the program's secrets. Reads files; starts nothing. Also owns the isolation of a provider: none,
// a sandbox or a container, from the provider's configuration. How they are built is in
// bridge/isolation/.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { withoutSecrets } from "../agents/environment.ts";
import { findSystemCode } from "../errors.ts";
import { IsolationService } from "../isolation/isolation-service.ts";
import type { IsolationSettings } from "../isolation/isolation-settings.ts";
import { NO_ISOLATION } from "../isolation/isolation-settings.ts";
import { toSandboxFolders } from "../isolation/sandbox-locations.ts";
import type { PlanResult, SpawnRequest, SpawnPlan } from "../terminals/spawn-plan.ts";
import { planSpawn } from "../terminals/spawn-plan.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { getOwnPaths } from "../workspace/folders.ts";
import type { ExecuteCommandOptions, ProviderConfig, TerminalIsolationLevel } from "./types.ts";

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

export interface ProviderIsolation {
  readonly level: TerminalIsolationLevel;
  /** Wraps the plan, or returns why that is not possible. */
  isolate(plan: SpawnPlan): Promise<PlanResult>;
  /** Acquires what an isolated process needs; returns its release. */
  hold(plan: SpawnPlan): () => void;
  /** Removes what is left, once no process runs. */
  end(): Promise<void>;
}

export interface ProviderIsolationOptions {
  readonly folders: WorkspaceFolders;
  readonly shell: string;
  readonly envAllowlist: ReadonlySet<string>;
}

const WITHOUT_ISOLATION: ProviderIsolation = {
  level: "none",
  isolate: async (plan) => ({ ok: true, plan }),
  hold: () => () => {},
  end: async () => {},
};

/** Creates the isolation. Checks nothing before it is used. */
export function createIsolation(
  config: ProviderConfig,
  { folders, shell, envAllowlist }: ProviderIsolationOptions,
): ProviderIsolation {
  if (config.type === "local") return WITHOUT_ISOLATION;
  const { ownFolders } = getOwnPaths(folders);
  const usual = toSandboxFolders(folders);
  // A separate name, so that a bridge of the same folder and this service do not release each
  // other's resources.
  const name = `${usual.name}-service`;
  const place = { ...usual, name, roots: [folders.folder], ownFolders, shell, envAllowlist };
  const isolation = new IsolationService(place, toIsolationSettings(config, folders.folder));
  const { type: level } = config;
  return {
    level,
    isolate: (plan) => isolation.isolate(plan),
    hold: (plan) => isolation.hold(plan),
    end: () => isolation.end(),
  };
}

function toIsolationSettings(
  config: Exclude<ProviderConfig, { type: "local" }>,
  folder: string,
): IsolationSettings {
  const common = { ...NO_ISOLATION, floor: config.type, network: config.network ?? "none" };
  if (config.type === "sandbox") {
    return { ...common, readable: (config.readable ?? []).map((path) => resolve(folder, path)) };
  }
  const { image, rootfs } = config;
  const root = rootfs === undefined ? undefined : resolve(folder, rootfs);
  return { ...common, container: { image, rootfs: root, options: [] } };
}
