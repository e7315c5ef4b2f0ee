// Owns the checks before a fork, so that a mistake is an error message and not a dead terminal. Not
// policy: the bridge decides whether a command may run.

import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Spawn } from "../../protocol/host.ts";

/** Returns why this cannot be started, or undefined. */
export function findSpawnFault(spawn: Spawn): string | undefined {
  return findTextFault(spawn) ?? findFolderFault(spawn.cwd) ?? findFileFault(spawn.file);
}

/** Returns why a text is invalid: execve ends strings at NUL and would run something else. */
function findTextFault(spawn: Spawn): string | undefined {
  for (const text of [spawn.file, spawn.cwd, ...spawn.args]) {
    if (text.includes("\0")) return "The command or folder contains a NUL character.";
  }
  for (const [name, value] of Object.entries(spawn.env)) {
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      return `The environment variable ${JSON.stringify(name)} cannot be passed on.`;
    }
  }
  return undefined;
}

function findFolderFault(cwd: string): string | undefined {
  if (!isAbsolute(cwd)) return `The folder ${cwd} is not an absolute path.`;
  const kind = statSync(cwd, { throwIfNoEntry: false });
  if (kind === undefined) return `The folder ${cwd} does not exist.`;
  if (!kind.isDirectory()) return `${cwd} is not a folder.`;
  return isExecutable(cwd) ? undefined : `The folder ${cwd} cannot be entered.`;
}

function findFileFault(file: string): string | undefined {
  if (!isAbsolute(file)) return `The program ${file} is not an absolute path.`;
  const kind = statSync(file, { throwIfNoEntry: false });
  if (kind === undefined) return `The program ${file} does not exist.`;
  if (!kind.isFile()) return `${file} is not a program.`;
  return isExecutable(file) ? undefined : `The program ${file} may not be run.`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
