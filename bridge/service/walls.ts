// Owns the isolation of a provider: none, a sandbox or a container, from the provider's
// configuration. How they are built is in bridge/providers/.

import { resolve } from "node:path";
import { wallFolders } from "../providers/place.ts";
import { NO_WALLS } from "../providers/settings.ts";
import type { IsolationSettings } from "../providers/settings.ts";
import { Walls } from "../providers/walls.ts";
import type { Planned, SpawnPlan } from "../terminals/plan.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { ownPlaces } from "../workspace/folders.ts";
import type { ProviderConfig, TerminalIsolationLevel } from "./types.ts";

export interface Wall {
  readonly level: TerminalIsolationLevel;
  /** Wraps the plan, or returns why that is not possible. */
  isolate(plan: SpawnPlan): Promise<Planned>;
  /** Acquires what an isolated process needs; returns its release. */
  hold(plan: SpawnPlan): () => void;
  /** Removes what is left, once no process runs. */
  end(): Promise<void>;
}

export interface WallWish {
  readonly folders: WorkspaceFolders;
  readonly shell: string;
  readonly letThrough: ReadonlySet<string>;
}

const NO_WALL: Wall = {
  level: "none",
  isolate: async (plan) => ({ ok: true, plan }),
  hold: () => () => {},
  end: async () => {},
};

/** Creates the isolation. Checks nothing before it is used. */
export function wallOf(config: ProviderConfig, { folders, shell, letThrough }: WallWish): Wall {
  if (config.type === "local") return NO_WALL;
  const { ownFolders } = ownPlaces(folders);
  const usual = wallFolders(folders);
  // A separate name, so that a bridge of the same folder and this service do not release each
  // other's resources.
  const name = `${usual.name}-service`;
  const place = { ...usual, name, roots: [folders.folder], ownFolders, shell, letThrough };
  const walls = new Walls(place, settingsOf(config, folders.folder));
  const { type: level } = config;
  return {
    level,
    isolate: (plan) => walls.isolate(plan),
    hold: (plan) => walls.hold(plan),
    end: () => walls.end(),
  };
}

function settingsOf(
  config: Exclude<ProviderConfig, { type: "local" }>,
  folder: string,
): IsolationSettings {
  const common = { ...NO_WALLS, floor: config.type, network: config.network ?? "none" };
  if (config.type === "sandbox") {
    return { ...common, readable: (config.readable ?? []).map((path) => resolve(folder, path)) };
  }
  const { image, rootfs } = config;
  const root = rootfs === undefined ? undefined : resolve(folder, rootfs);
  return { ...common, container: { image, rootfs: root, options: [] } };
}
