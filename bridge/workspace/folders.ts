// Owns where pairpty keeps files: a state folder per workspace folder, and a short runtime folder
// for sockets. Creates them with mode 0700 and rejects folders of other users. Also owns which
// folders above a folder may have the workspace that a command means. Pure but for `stat`. Compares
// paths as text. Pure: the caller has resolved both.

import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import envPaths from "env-paths";
import { builtFile } from "../build-info.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../errors.ts";
import { toDiskError } from "../resource-errors.ts";
import { getHome, stateHome } from "../state-home.ts";
import { makeFolder } from "./private-file.ts";

/** A socket's path has at most 107 bytes, and our own names follow this one. */
const MAX_RUNTIME_BYTES = 60;

export interface WorkspaceFolders {
  /** The developer's folder, symlinks resolved. */
  readonly folder: string;
  /** Survives restarts: id, key, port, durable grants. */
  readonly state: string;
  /** Sockets; gone after a reboot. */
  readonly runtime: string;
}

export function ensureWorkspaceFolders(cwd: string): WorkspaceFolders {
  const folders = locateFolders(cwd);
  ensurePrivateFolder(folders.state);
  ensurePrivateFolder(runtimeRoot());
  ensurePrivateFolder(folders.runtime);
  return folders;
}

/** Returns the folders if the needed one exists; creates nothing where it does not. */
export function findExistingFolders(
  needed: "state" | "runtime",
  cwd: string,
): WorkspaceFolders | undefined {
  return existsSync(locateFolders(cwd)[needed]) ? ensureWorkspaceFolders(cwd) : undefined;
}

/** Returns where the folders are or would be; creates none. */
export function locateFolders(cwd: string): WorkspaceFolders {
  const folder = resolveFolder(cwd);
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return {
    folder,
    state: join(stateRoot(), "workspaces", hash),
    runtime: join(runtimeRoot(), hash),
  };
}

/**
 * Returns what no agent may touch: pairpty's state, sockets, keys and user settings, and its own
 * program.
 */
export function getOwnPaths({ state, runtime }: WorkspaceFolders): {
  ownFolders: string[];
  ownProgram: string;
} {
  const ownFolders = [dirname(dirname(state)), dirname(runtime), configRoot()];
  return { ownFolders, ownProgram: realpathSync(builtFile("..")) };
}

/**
 * Returns the user's configuration folder. Ignores a relative XDG_CONFIG_HOME, which would make a
 * project's folder the user's.
 */
export function configRoot(): string {
  const { config } = envPaths("pairpty", { suffix: "" });
  return isAbsolute(config) ? config : join(getHome(), ".config", "pairpty");
}

/** Returns the one folder of pairpty's state, which sandboxes hide and the policy guards. */
export function stateRoot(): string {
  if (process.platform === "linux") return join(stateHome(), "pairpty");
  return envPaths("pairpty", { suffix: "" }).data;
}

/**
 * Returns the folder for sockets; the workspace's name is not part of it, because a socket's path has
 * at most 107 bytes.
 */
function runtimeRoot(): string {
  const base = process.env["XDG_RUNTIME_DIR"] ?? "";
  const isUsable = isAbsolute(base) && Buffer.byteLength(base) <= MAX_RUNTIME_BYTES;
  return isUsable ? join(base, "pairpty") : join(tmpdir(), `pairpty-${userInfo().uid}`);
}

function resolveFolder(cwd: string): string {
  // Typically an unset variable: the current folder is not what the user meant.
  if (cwd === "") throw notFolder('""');
  try {
    const folder = realpathSync(cwd);
    // The folder's content must be reachable, too.
    if (statSync(folder).isDirectory() && statSync(`${folder}/.`).isDirectory()) return folder;
  } catch (error) {
    if (findSystemCode(error) === "EACCES") {
      throw new UserError(
        `${cwd} cannot be entered: permission denied`,
        ExitCode.usage,
        "Give --cwd a folder that you may enter.",
      );
    }
    // Other reasons (missing, not a folder) get the general error below.
  }
  throw notFolder(cwd);
}

function notFolder(name: string): UserError {
  return new UserError(`${name} is not a folder`, ExitCode.usage, "Give --cwd an existing folder.");
}

function ensurePrivateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const diskError = toDiskError(error, path);
    if (diskError !== undefined) throw diskError;
    throw new UserError(
      `${path} cannot be created: ${errorMessage(error)}`,
      ExitCode.usage,
      "pairpty keeps its state there. Set XDG_STATE_HOME or XDG_RUNTIME_DIR to folders that you own.",
    );
  }
  // lstat: a symlink planted in a shared temporary folder must not redirect us.
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== userInfo().uid) {
    throw new UserError(
      `${path} is not a folder that you own, so pairpty does not use it`,
      ExitCode.usage,
      "Remove it, or set XDG_RUNTIME_DIR to a folder that only you can enter.",
    );
  }
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** Facts that decide where the search ends. */
export interface FolderFacts {
  readonly owner: number;
  readonly device: number;
}

interface SearchLimits {
  readonly home: string;
  readonly user: number;
  /** Undefined where the folder cannot be examined. */
  readonly stat: (folder: string) => FolderFacts | undefined;
}

/**
 * Returns the folder itself, then those above it, nearest first. The search ends at the home
 * folder, at a mount point, and at a folder whose owner is neither the user nor the owner of the
 * folder below it.
 */
export function listFoldersUpward(folder: string, limits: SearchLimits = systemLimits()): string[] {
  const found = [folder];
  let below = limits.stat(folder);
  for (let at = folder; at !== limits.home && dirname(at) !== at; at = dirname(at)) {
    const above = limits.stat(dirname(at));
    if (below === undefined || above === undefined || above.device !== below.device) break;
    if (above.owner !== limits.user && above.owner !== below.owner) break;
    found.push(dirname(at));
    below = above;
  }
  return found;
}

function systemLimits(): SearchLimits {
  return { home: findHome(), user: userInfo().uid, stat: findFacts };
}

/** With symlinks resolved, as for the folder itself. */
function findHome(): string {
  try {
    return realpathSync(getHome());
  } catch {
    // A home that does not exist ends no search.
    return "";
  }
}

function findFacts(folder: string): FolderFacts | undefined {
  try {
    const { uid, dev } = statSync(folder);
    return { owner: uid, device: dev };
  } catch {
    // The folder is gone or cannot be examined: the search ends below it.
    return undefined;
  }
}

/** Whether `path` lies in `folder`; a folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === "" ||
    (relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}
