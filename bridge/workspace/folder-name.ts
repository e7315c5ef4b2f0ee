// Owns the display name of a workspace: the last part of its folder's path. Workspaces of the same name
// on this machine get a suffix; for that, each state folder records its workspace folder.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { plainTitle } from "../../protocol/title.ts";
import type { WorkspaceFolders } from "./folders.ts";
import { readOptionalFile, writePrivateFile } from "./private-file.ts";

const FILE = "folder";

/** Enough characters of an id for a person to compare. */
const ID_CHARS = 4;

export interface FolderName {
  /** For people who can type: a shell shows them the full path anyway. */
  readonly edit: string;
  readonly view: string;
}

/** Records this folder and returns its name. Later workspaces of the same name get the suffix. */
export function folderName(
  folders: Pick<WorkspaceFolders, "folder" | "state">,
  workspace: string,
): FolderName {
  const { folder, state } = folders;
  const path = join(state, FILE);
  if (readOptionalFile(path) !== folder) writePrivateFile(path, folder);
  return nameAmong(folder, workspace, othersOf(state));
}

/** Returns the name of `folder` among `others`, the other workspace folders of this machine. */
export function nameAmong(
  folder: string,
  workspace: string,
  others: readonly string[],
): FolderName {
  const name = plainTitle(basename(folder)) || "/";
  const namesakes = others.filter((one) => one !== folder && basename(one) === basename(folder));
  if (namesakes.length === 0) return { edit: name, view: name };
  return {
    edit: `${name} (${plainTitle(parting(folder, namesakes))})`,
    view: `${name} (${workspace.slice(0, ID_CHARS)})`,
  };
}

/** Returns the name of the nearest parent folder that no namesake has at the same height. */
function parting(folder: string, namesakes: readonly string[]): string {
  let own = dirname(folder);
  let theirs = namesakes.map((one) => dirname(one));
  while (basename(own) !== "" && theirs.some((one) => basename(one) === basename(own))) {
    own = dirname(own);
    theirs = theirs.map((one) => dirname(one));
  }
  return basename(own) || "/";
}

/** Returns the other workspaces' folders that still exist. */
function othersOf(state: string): string[] {
  const root = dirname(state);
  return readdirSync(root)
    .filter((name) => name !== basename(state))
    .map((name) => readOptionalFile(join(root, name, FILE)))
    .filter((path) => path !== undefined)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}
