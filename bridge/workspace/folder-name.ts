// Owns the display name of a workspace: the last part of its folder's path. Workspaces of the same name
// on this machine get a suffix; for that, each state folder records its workspace folder.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { cleanTitle } from "../../protocol/title.ts";
import type { WorkspaceFolders } from "./folders.ts";
import { readOptionalFile, writePrivateFile } from "./private-file.ts";

const FOLDER_FILE = "folder";

/** Enough characters of an id for a person to compare. */
const ID_CHARS = 4;

export interface FolderName {
  /** Shown to people who can type: a shell shows them the full path anyway. */
  readonly edit: string;
  readonly view: string;
}

/** Records this folder and returns its name. Later workspaces of the same name get the suffix. */
export function getFolderName(
  folders: Pick<WorkspaceFolders, "folder" | "state">,
  workspace: string,
): FolderName {
  const { folder, state } = folders;
  const path = join(state, FOLDER_FILE);
  if (readOptionalFile(path) !== folder) writePrivateFile(path, folder);
  return disambiguateName(folder, workspace, listOtherFolders(state));
}

/** Returns the name of `folder` among `others`, the other workspace folders of this machine. */
export function disambiguateName(
  folder: string,
  workspace: string,
  others: readonly string[],
): FolderName {
  const name = cleanTitle(basename(folder)) || "/";
  const namesakes = others.filter(
    (other) => other !== folder && basename(other) === basename(folder),
  );
  if (namesakes.length === 0) return { edit: name, view: name };
  return {
    edit: `${name} (${cleanTitle(findDistinctParent(folder, namesakes))})`,
    view: `${name} (${workspace.slice(0, ID_CHARS)})`,
  };
}

/** Returns the name of the nearest parent folder that no namesake has at the same height. */
function findDistinctParent(folder: string, namesakes: readonly string[]): string {
  let own = dirname(folder);
  let theirs = namesakes.map((other) => dirname(other));
  while (basename(own) !== "" && theirs.some((other) => basename(other) === basename(own))) {
    own = dirname(own);
    theirs = theirs.map((other) => dirname(other));
  }
  return basename(own) || "/";
}

/** Returns the other workspaces' folders that still exist. */
function listOtherFolders(state: string): string[] {
  const root = dirname(state);
  return readdirSync(root)
    .filter((name) => name !== basename(state))
    .map((name) => readOptionalFile(join(root, name, FOLDER_FILE)))
    .filter((path) => path !== undefined)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}
