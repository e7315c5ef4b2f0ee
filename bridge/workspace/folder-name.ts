// Owns what people call a workspace: its folder's own name, never the way to it. Folders of one name on
// this machine are told apart; for that each state folder keeps whose it is.

import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { plainTitle } from "../../protocol/title.ts";
import type { WorkspaceFolders } from "./folders.ts";
import { readOptionalFile, writePrivateFile } from "./private-file.ts";

const FILE = "folder";

/** As many letters of an id as a person compares. */
const ID_CHARS = 4;

export interface FolderName {
  /** For those who may type, who can ask any shell for the rest of the way. */
  readonly edit: string;
  readonly view: string;
}

/** Takes note of this one, and looks at the others once: those that come later note our name. */
export function folderName(
  folders: Pick<WorkspaceFolders, "folder" | "state">,
  workspace: string,
): FolderName {
  const { folder, state } = folders;
  const path = join(state, FILE);
  if (readOptionalFile(path) !== folder) writePrivateFile(path, folder);
  return nameAmong(folder, workspace, othersOf(state));
}

/** `others`: folders of this machine that are workspaces, too. */
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

/** The nearest folder above it whose name none of the namesakes has at that height. */
function parting(folder: string, namesakes: readonly string[]): string {
  let own = dirname(folder);
  let theirs = namesakes.map((one) => dirname(one));
  while (basename(own) !== "" && theirs.some((one) => basename(one) === basename(own))) {
    own = dirname(own);
    theirs = theirs.map((one) => dirname(one));
  }
  return basename(own) || "/";
}

/** Only those that are still there. */
function othersOf(state: string): string[] {
  const root = dirname(state);
  return readdirSync(root)
    .filter((name) => name !== basename(state))
    .map((name) => readOptionalFile(join(root, name, FILE)))
    .filter((path) => path !== undefined)
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}
