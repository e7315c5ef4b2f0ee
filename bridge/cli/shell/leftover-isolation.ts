// Recreates the isolation of a crashed bridge of this folder, to clean up what is left of it.

import { toIsolationSettings } from "../../config/agent-options.ts";
import { resolveSettings } from "../../config/resolve-settings.ts";
import { UserError } from "../../errors.ts";
import { toSandboxFolders } from "../../isolation/sandbox-locations.ts";
import type { IsolationSettings } from "../../isolation/isolation-settings.ts";
import { NO_ISOLATION } from "../../isolation/isolation-settings.ts";
import { IsolationService } from "../../isolation/isolation-service.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { loadStartConfiguration } from "../flags/start-options.ts";
import { printWrapped } from "../output/output.ts";

export function createLeftoverIsolation(folders: WorkspaceFolders): IsolationService {
  const place = {
    ...toSandboxFolders(folders),
    roots: [folders.folder],
    // Only the clean-up uses this: nothing is started in the sandbox.
    ownFolders: [],
    shell: "/bin/sh",
    envAllowlist: new Set<string>(),
  };
  return new IsolationService(place, readIsolationSettings(folders), {
    log: { warn: printWrapped },
  });
}

function readIsolationSettings({ folder }: WorkspaceFolders): IsolationSettings {
  try {
    const configuration = loadStartConfiguration({ cwd: folder }, process.env);
    const settings = resolveSettings(configuration, process.env, folder);
    return toIsolationSettings(configuration.merged.values, settings);
  } catch (error) {
    // A broken settings file must not prevent a stop.
    if (error instanceof UserError) return NO_ISOLATION;
    throw error;
  }
}
