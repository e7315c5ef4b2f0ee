// Creates the isolation that a bridge of this folder would use, for the checks.

import { isolationOf } from "../config/isolation-values.ts";
import { resolveSettings } from "../config/resolve.ts";
import { runProgram } from "../processes/program.ts";
import { wallFolders } from "../providers/place.ts";
import type { IsolationSettings } from "../providers/settings.ts";
import { Walls } from "../providers/walls.ts";
import type { Facts } from "./facts.ts";

/** Per program; a check has 8 s for all of them. */
const ANSWER_MS = 3_000;

export interface DoctorWalls {
  readonly walls: Walls;
  readonly settings: IsolationSettings;
}

/** Returns the isolation; undefined without a workspace folder. */
export function wallsOf({ folders, configuration, environment }: Facts): DoctorWalls | undefined {
  if (typeof folders === "string") return undefined;
  const { merged } = configuration;
  const resolved = resolveSettings(configuration, environment, folders.folder);
  const settings = isolationOf(merged.values, resolved);
  const place = {
    ...wallFolders(folders),
    roots: [folders.folder, ...resolved.roots],
    ownFolders: [],
    shell: resolved.shell,
    letThrough: new Set<string>(),
  };
  const run: typeof runProgram = (command, args, milliseconds, surroundings) =>
    runProgram(command, args, Math.min(milliseconds, ANSWER_MS), surroundings);
  return { walls: new Walls(place, settings, { run, environment }), settings };
}
