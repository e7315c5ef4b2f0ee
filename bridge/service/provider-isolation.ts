// Owns the isolation of a provider: none, a sandbox or a container, from the provider's
// configuration. How they are built is in bridge/isolation/.

import { resolve } from "node:path";
import { toSandboxFolders } from "../isolation/sandbox-locations.ts";
import { NO_ISOLATION } from "../isolation/isolation-settings.ts";
import type { IsolationSettings } from "../isolation/isolation-settings.ts";
import { IsolationService } from "../isolation/isolation-service.ts";
import type { PlanResult, SpawnPlan } from "../terminals/spawn-plan.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { getOwnPaths } from "../workspace/folders.ts";
import type { ProviderConfig, TerminalIsolationLevel } from "./types.ts";

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
