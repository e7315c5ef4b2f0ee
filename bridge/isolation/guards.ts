// Owns which files of a writable folder a sandboxed agent may not change, since they would run as
// the user later; which guards all running sandboxes have; and whether a path is a guarded file.

import { rmSync, writeFileSync, realpathSync } from "node:fs";
import { join, dirname, basename } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { findSystemCode } from "../errors.ts";
import { isInside } from "../workspace/folders.ts";
import { makeFolder, readOptionalFile } from "../workspace/private-file.ts";

export type FileKind = "file" | "folder" | "link" | "absent";

/** Returns what is at a path, without following links. */
export type LookAtPath = (path: string) => FileKind;

/** Read-only inside. If it is absent, a placeholder of its kind is needed to mount on. */
export interface Guard {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly isAbsent: boolean;
  /** The content of a placeholder, where an empty file would be an error. */
  readonly content?: string;
  /** The name of an empty file that a placeholder folder contains. */
  readonly file?: string;
}

export type Guards =
  | { readonly ok: true; readonly guards: readonly Guard[] }
  | { readonly ok: false; readonly error: string };

interface GuardedName {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Guarded only if it exists: nothing reads it before. */
  readonly onlyIfThere?: boolean;
  readonly content?: string;
  readonly file?: string;
}

const GUARDED_AT_TOP: readonly GuardedName[] = [
  { name: ".vscode", kind: "folder" },
  { name: ".envrc", kind: "file" },
  { name: ".mcp.json", kind: "file" },
  { name: "pairpty.config.json", kind: "file" },
  // Programs run files in these folders, for users who have them.
  { name: ".cursor", kind: "folder", onlyIfThere: true },
  { name: ".claude", kind: "folder", onlyIfThere: true },
  { name: ".idea", kind: "folder", onlyIfThere: true },
];

/** Names at the top of a folder that may be placeholders. */
export const PLACEHOLDER_NAMES: readonly string[] = GUARDED_AT_TOP.flatMap(
  ({ name, onlyIfThere }) => (onlyIfThere === true ? [] : [name]),
);

/**
 * Besides hooks and config: `modules` and `worktrees` have configs of their own, which git reads from
 * here. Guarded before the first one exists: a submodule or worktree that the user adds later would
 * otherwise lie in a folder that the agent can write.
 */
const GUARDED_IN_GIT: readonly GuardedName[] = [
  { name: ".git/hooks", kind: "folder" },
  { name: ".git/config", kind: "file" },
  // git reads config and hooks from the folder that this file names; `.` is the folder itself.
  { name: ".git/commondir", kind: "file", content: ".\n" },
  // git reads it as soon as the config enables it.
  { name: ".git/config.worktree", kind: "file" },
  { name: ".git/modules", kind: "folder" },
  { name: ".git/worktrees", kind: "folder" },
  // `git gc` and `git worktree remove` delete an empty `worktrees`, and the guard with it. They keep a
  // locked worktree, and do not list one without a path.
  { name: ".git/worktrees/.pairpty", kind: "folder", file: "locked" },
];

/** Whether a path's text names such a file or folder, whatever folder it is in. */
function isGuarded(path: string): boolean {
  const parts = `${path}/`;
  if (path.endsWith("/.git")) return true;
  return [...GUARDED_AT_TOP, ...GUARDED_IN_GIT].some(({ name }) => parts.includes(`/${name}/`));
}

/** The guarded names of a folder, also if they are links. */
const GUARDED_NAMES: readonly string[] = [...GUARDED_AT_TOP, ...GUARDED_IN_GIT].map(
  ({ name }) => name,
);

/** Returns the guards of a folder. `allows` decides whether a path may be guarded now (guards.ts). */
export function findGuards(
  root: string,
  look: LookAtPath,
  allows: (path: string) => boolean = () => true,
): Guards {
  const guards: Guard[] = [];
  for (const { name, kind, onlyIfThere, ...filled } of [
    ...listGitGuards(root, look),
    ...GUARDED_AT_TOP,
  ]) {
    const path = join(root, name);
    if (!allows(path)) continue;
    const found = look(path);
    // A link cannot be mounted on, and a program that can write its folder could replace it.
    if (found === "link") return { ok: false, error: formatLinkError(path) };
    if (found === "absent" && onlyIfThere === true) continue;
    if (found !== "absent") guards.push({ path, kind: found, isAbsent: false });
    else guards.push({ path, kind, isAbsent: true, ...filled });
  }
  return { ok: true, guards };
}

/** Returns the guarded names in `.git`; none if there is no `.git`, since a new one starts without them. */
function listGitGuards(root: string, look: LookAtPath): readonly GuardedName[] {
  const name = ".git";
  switch (look(join(root, name))) {
    case "absent":
      return [];
    case "folder":
      return GUARDED_IN_GIT;
    // A linked worktree or a submodule: the file names the folder of git's config.
    case "file":
    case "link":
      return [{ name, kind: "file" }];
  }
}

function formatLinkError(path: string): string {
  return `${path} is a symbolic link, which a sandbox cannot protect: replace it with the file itself`;
}

/**
 * Returns the folders between a root and a mount in it. Each is mounted on itself: otherwise it could
 * be renamed together with the mounts in it.
 */
export function listAnchors(root: string, path: string): string[] {
  const parts = path
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "");
  return parts.slice(0, -1).map((_, index) => join(root, ...parts.slice(0, index + 1)));
}

// A later sandbox guards only these, since its builder resolves names: a folder that an agent
// created meanwhile, swapped for a link at the right moment, would be mounted from elsewhere. Kept
// in a file for a bridge that finds sandboxes running.

const StoredPaths = z.array(z.string());

export class ActiveGuards {
  readonly #file: string;
  /** Undefined while no sandbox runs. */
  #paths: ReadonlySet<string> | undefined;

  /** `file` belongs to this workspace alone. */
  constructor(file: string) {
    this.#file = file;
    const stored = parseText(StoredPaths, readOptionalFile(file) ?? "");
    this.#paths = stored.ok ? new Set(stored.value) : undefined;
  }

  /** Whether a sandbox that starts now may guard this path. */
  allows(path: string): boolean {
    return this.#paths === undefined || this.#paths.has(path);
  }

  /** Adds the guards of a sandbox that starts. */
  add(paths: readonly string[]): void {
    const all = paths.filter((path) => this.allows(path));
    if (all.length === this.#paths?.size) return;
    this.#paths = new Set(all);
    makeFolder(dirname(this.#file));
    // Not synced to disk: after a power cut no sandbox runs.
    writeFileSync(this.#file, JSON.stringify(all), { mode: 0o600 });
  }

  /** Forgets all guards, after the last sandbox has ended. */
  clear(): void {
    this.#paths = undefined;
    rmSync(this.#file, { force: true });
  }
}

/** Returns the test for these real paths; a path that does not exist is compared by its text. */
export function toGuardTest(roots: readonly string[]): (path: string) => boolean {
  return (path) =>
    isGuarded(path) ||
    roots.some((root) =>
      GUARDED_NAMES.some((name) => {
        const real = findRealPath(join(root, name));
        return real !== undefined && isInside(path, real);
      }),
    );
}

/** Returns the real path, also of a file that does not exist yet in a folder that does. */
function findRealPath(path: string): string | undefined {
  const whole = tryRealPath(path);
  if (whole !== undefined) return whole;
  const folder = tryRealPath(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}

function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // Does not exist, or is a circle of links.
    if (findSystemCode(error) !== undefined) return undefined;
    throw error;
  }
}
