// Owns the wall of a provider: none, a sandbox or a container, by the provider's own configuration.
// How walls are built is bridge/providers/.

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
  /** The plan behind it, or why that cannot be had. */
  isolate(plan: SpawnPlan): Promise<Planned>;
  /** What must be there while a plan behind it runs. Returns its end. */
  hold(plan: SpawnPlan): () => void;
  /** Once nothing runs behind it any more. */
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

/** Looks at nothing before it is used. */
export function wallOf(config: ProviderConfig, { folders, shell, letThrough }: WallWish): Wall {
  if (config.type === "local") return NO_WALL;
  const { ownFolders } = ownPlaces(folders);
  const usual = wallFolders(folders);
  // What a bridge of the same folder holds is not ours to let go of, nor the other way round.
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
