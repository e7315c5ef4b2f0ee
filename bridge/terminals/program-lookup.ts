// Owns finding the program and the folder of a spawn, so that a missing one is an error before
// anything starts.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

export type LookupResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly error: string };

/** Finds the absolute path that a shell would run for this name, folder and PATH. */
export function findProgram(name: string, cwd: string, path: string): LookupResult {
  if (name === "") return { ok: false, error: "The command is empty" };
  if (name.includes("/")) {
    const full = isAbsolute(name) ? name : resolve(cwd, name);
    const problem = getNotRunnableReason(full);
    return problem === undefined ? { ok: true, path: full } : { ok: false, error: problem };
  }
  const folders = path.split(delimiter).map((folder) => resolve(cwd, folder));
  return findInFolders(name, folders);
}

/** Finds a program in absolute `folders`; the first match wins. */
function findInFolders(name: string, folders: readonly string[]): LookupResult {
  const full = folders
    .map((folder) => join(folder, name))
    .find((file) => getNotRunnableReason(file) === undefined);
  if (full !== undefined) return { ok: true, path: full };
  const hint = name.includes(" ") ? ". Give the program and its arguments as separate words" : "";
  return { ok: false, error: `Command not found: ${name}${hint}` };
}

/** Tried in this order if `$SHELL` is unset, empty or not a program. */
const FALLBACK_SHELLS = ["bash", "sh"] as const;

/**
 * Returns `$SHELL`, else bash, else sh. Searches the fallbacks only in absolute folders of PATH:
 * the user did not choose them, so a project's own `./bash` must not be used.
 */
export function findUserShell(environment: NodeJS.ProcessEnv, cwd: string): string {
  const { SHELL: chosen = "", PATH: path = "" } = environment;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const found = [
    findProgram(chosen, cwd, path),
    ...FALLBACK_SHELLS.map((name) => findInFolders(name, folders)),
  ].find((program) => program.ok);
  return found?.path ?? "/bin/sh";
}

export function findFolder(path: string, base: string): LookupResult {
  const full = resolve(base, path);
  try {
    if (!statSync(full).isDirectory()) return { ok: false, error: `Not a folder: ${full}` };
    accessSync(full, constants.X_OK);
    return { ok: true, path: full };
  } catch {
    return { ok: false, error: `Folder not found, or you may not enter it: ${full}` };
  }
}

function getNotRunnableReason(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return `Not a program: ${path}`;
  } catch {
    return `Command not found: ${path}`;
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return `Not executable: ${path}`;
  }
}
