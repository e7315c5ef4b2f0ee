// Creates the isolation that a bridge of this folder would use, for the checks.

import { toIsolationSettings } from "../config/setting-values.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { runProgram } from "../processes/run-program.ts";
import { toSandboxFolders } from "../isolation/sandbox-locations.ts";
import type { IsolationSettings } from "../isolation/isolation-settings.ts";
import { IsolationService } from "../isolation/isolation-service.ts";
import type { DoctorFacts } from "./doctor-facts.ts";

/** Per program; a check has 8 s for all of them. */
const ANSWER_MS = 3_000;

export interface DoctorIsolation {
  readonly isolation: IsolationService;
  readonly settings: IsolationSettings;
}

/** Returns the isolation; undefined without a workspace folder. */
export function createDoctorIsolation({
  folders,
  configuration,
  environment,
}: DoctorFacts): DoctorIsolation | undefined {
  if (typeof folders === "string") return undefined;
  const { merged } = configuration;
  const resolved = resolveSettings(configuration, environment, folders.folder);
  const settings = toIsolationSettings(merged.values, resolved);
  const place = {
    ...toSandboxFolders(folders),
    roots: [folders.folder, ...resolved.roots],
    ownFolders: [],
    shell: resolved.shell,
    envAllowlist: new Set<string>(),
  };
  const run: typeof runProgram = (command, args, milliseconds, surroundings) =>
    runProgram(command, args, Math.min(milliseconds, ANSWER_MS), surroundings);
  return { isolation: new IsolationService(place, settings, { run, environment }), settings };
}
