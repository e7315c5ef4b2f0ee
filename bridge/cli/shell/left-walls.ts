// Recreates the isolation of a crashed bridge of this folder, to clean up what is left of it.

import { isolationOf } from "../../config/isolation-values.ts";
import { resolveSettings } from "../../config/resolve.ts";
import { UserError } from "../../errors.ts";
import { wallFolders } from "../../providers/place.ts";
import type { IsolationSettings } from "../../providers/settings.ts";
import { NO_WALLS } from "../../providers/settings.ts";
import { Walls } from "../../providers/walls.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { configurationFor } from "../flags/options.ts";
import { tell } from "../output/output.ts";

export function leftWalls(folders: WorkspaceFolders): Walls {
  const place = {
    ...wallFolders(folders),
    roots: [folders.folder],
    // Nothing is started in it any more.
    ownFolders: [],
    shell: "/bin/sh",
    letThrough: new Set<string>(),
  };
  return new Walls(place, settingsOf(folders), { log: { warn: tell } });
}

function settingsOf({ folder }: WorkspaceFolders): IsolationSettings {
  try {
    const configuration = configurationFor({ cwd: folder }, process.env);
    const settings = resolveSettings(configuration, process.env, folder);
    return isolationOf(configuration.merged.values, settings);
  } catch (error) {
    // A broken settings file must not prevent a stop.
    if (error instanceof UserError) return NO_WALLS;
    throw error;
  }
}
