// Finds the folder of a command's workspace: the one that --cwd names, else the nearest at or above the
// current folder.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { connectLocal } from "../../local/local-socket.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { locateFolders, listFoldersUpward } from "../../workspace/folders.ts";
import { getCurrentFolder } from "./current-folder.ts";

export interface FolderFlag {
  readonly cwd?: string;
}

/** Returns the folder whose bridge runs or whose terminals wait; the current one if there is none. */
export async function findRunningFolder({ cwd }: FolderFlag): Promise<string> {
  if (cwd !== undefined) return cwd;
  const here = getCurrentFolder();
  return (await findActive(listWorkspaces(here)))?.folder ?? here;
}

/**
 * Returns the folder like `findRunningFolder`, else one where a workspace ran before, for commands that
 * read its files.
 */
export async function findKnownFolder({ cwd }: FolderFlag): Promise<string> {
  if (cwd !== undefined) return cwd;
  const here = getCurrentFolder();
  const all = listWorkspaces(here);
  const found = (await findActive(all)) ?? all.find(({ state }) => existsSync(state));
  return found?.folder ?? here;
}

/** Returns the nearest folder strictly above this one whose bridge runs. */
export async function findBridgeAbove(cwd: string): Promise<string | undefined> {
  for (const { folder, runtime } of listWorkspaces(cwd).slice(1)) {
    if (await isListening(join(runtime, "bridge.sock"))) return folder;
  }
  return undefined;
}

function listWorkspaces(cwd: string): WorkspaceFolders[] {
  return listFoldersUpward(locateFolders(cwd).folder).map(locateFolders);
}

async function findActive(all: readonly WorkspaceFolders[]): Promise<WorkspaceFolders | undefined> {
  for (const one of all) {
    if (await isListening(join(one.runtime, "bridge.sock"))) return one;
    if (await hasWaitingTerminals(one)) return one;
  }
  return undefined;
}

async function isListening(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const socket = await connectLocal(path).catch(() => undefined);
  socket?.destroy();
  return socket !== undefined;
}

async function hasWaitingTerminals(folders: WorkspaceFolders): Promise<boolean> {
  if (!existsSync(join(folders.runtime, "host.sock"))) return false;
  const { listWaitingTerminals } = await import("../../terminals/start-host.ts");
  return (await listWaitingTerminals(folders)).length > 0;
}
