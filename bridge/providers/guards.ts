// Owns which files of a writable folder an agent behind a wall may not change: they would run as
// the user later. Pure over what is on the disk.

import { join } from "node:path";

export type Kind = "file" | "folder" | "link" | "absent";

/** What stands at a path, links not followed. */
export type Look = (path: string) => Kind;

/** Read-only inside; an absent one needs a placeholder of its kind to be mounted on. */
export interface Guard {
  readonly path: string;
  readonly kind: "file" | "folder";
  readonly isAbsent: boolean;
  /** What a placeholder for it must say, where an empty one would be a mistake. */
  readonly content?: string;
  /** The name of an empty file that a placeholder folder contains. */
  readonly file?: string;
}

export type Guards =
  | { readonly ok: true; readonly guards: readonly Guard[] }
  | { readonly ok: false; readonly error: string };

interface Named {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** Only where it is there: nothing reads it as long as it is not. */
  readonly onlyIfThere?: boolean;
  readonly content?: string;
  readonly file?: string;
}

const NAMED: readonly Named[] = [
  { name: ".vscode", kind: "folder" },
  { name: ".envrc", kind: "file" },
  { name: ".mcp.json", kind: "file" },
  { name: "pairpty.config.json", kind: "file" },
  // Programs that run what stands in there, for those who use them.
  { name: ".cursor", kind: "folder", onlyIfThere: true },
  { name: ".claude", kind: "folder", onlyIfThere: true },
  { name: ".idea", kind: "folder", onlyIfThere: true },
];

/** Those at the top of a folder that may be placeholders. */
export const PLACEHOLDERS: readonly string[] = NAMED.flatMap(({ name, onlyIfThere }) =>
  onlyIfThere === true ? [] : [name],
);

/**
 * Beside hooks and config: `modules` and `worktrees` have configs of their own, which git reads
 * when it looks at them from here. Guarded before the first one is there: a submodule or worktree
 * that the user adds later would lie in a folder of the agent's.
 */
const OF_GIT: readonly Named[] = [
  { name: ".git/hooks", kind: "folder" },
  { name: ".git/config", kind: "file" },
  // Git takes config and hooks from the folder that it names; this one is where they are.
  { name: ".git/commondir", kind: "file", content: ".\n" },
  // Git reads it as soon as config says so.
  { name: ".git/config.worktree", kind: "file" },
  { name: ".git/modules", kind: "folder" },
  { name: ".git/worktrees", kind: "folder" },
  // `git gc` and `git worktree remove` remove an empty `worktrees`, and the guard would go with it.
  // They keep a locked worktree, and do not list one that says nothing of its place.
  { name: ".git/worktrees/.pairpty", kind: "folder", file: "locked" },
];

/** Whether a path leads to such a file or folder, of whichever folder it may be: by its text. */
export function isGuarded(path: string): boolean {
  const parts = `${path}/`;
  if (path.endsWith("/.git")) return true;
  return [...NAMED, ...OF_GIT].some(({ name }) => parts.includes(`/${name}/`));
}

/** In a folder, wherever their links lead. */
export const GUARDED_NAMES: readonly string[] = [...NAMED, ...OF_GIT].map(({ name }) => name);

/** `allows`: what may be guarded now, by its path (standing.ts). */
export function guardsOf(
  root: string,
  look: Look,
  allows: (path: string) => boolean = () => true,
): Guards {
  const guards: Guard[] = [];
  for (const { name, kind, onlyIfThere, ...filled } of [...ofGit(root, look), ...NAMED]) {
    const path = join(root, name);
    if (!allows(path)) continue;
    const found = look(path);
    // A link cannot be mounted on, and whoever may write its folder may put another in its place.
    if (found === "link") return { ok: false, error: linkError(path) };
    if (found === "absent" && onlyIfThere === true) continue;
    if (found !== "absent") guards.push({ path, kind: found, isAbsent: false });
    else guards.push({ path, kind, isAbsent: true, ...filled });
  }
  return { ok: true, guards };
}

/** Nothing below a `.git` that is not there: whoever makes one makes it anew. */
function ofGit(root: string, look: Look): readonly Named[] {
  const name = ".git";
  switch (look(join(root, name))) {
    case "absent":
      return [];
    case "folder":
      return OF_GIT;
    // Of a linked worktree or a submodule: it says where git finds its config.
    case "file":
    case "link":
      return [{ name, kind: "file" }];
  }
}

function linkError(path: string): string {
  return `${path} is a symbolic link, and a wall cannot protect a link: replace it with the file itself`;
}

/**
 * The folders between a root and something in it that is mounted on. Each is mounted on itself: a
 * folder can be renamed with all mounts in it, unless it is one.
 */
export function anchorsOf(root: string, path: string): string[] {
  const parts = path
    .slice(root.length)
    .split("/")
    .filter((part) => part !== "");
  return parts.slice(0, -1).map((_, index) => join(root, ...parts.slice(0, index + 1)));
}
