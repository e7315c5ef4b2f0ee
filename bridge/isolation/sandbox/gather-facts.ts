// Owns gathering the facts of a sandbox from the disk, at each start: folders come and go. Also
// owns finding the repository of a linked worktree, whose `.git` is a file that names a folder
// elsewhere.

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { basename, join, dirname, resolve } from "node:path";
import { findSystemCode } from "../../errors.ts";
import { isInside } from "../../workspace/folders.ts";
import { readOptionalFile } from "../../workspace/private-file.ts";
import type { Network } from "../isolation-settings.ts";
import { folderSizes } from "../sandbox-locations.ts";
import { toOwnFolders, findRootsWithGuards } from "../writable-roots.ts";
import type { SandboxFacts, SandboxFiles } from "./sandbox-command.ts";
import { PROC_READ_ONLY, ROOT_FOLDERS, SYSTEM_FOLDERS, toolFolders } from "./sandbox-mounts.ts";
import type { SandboxTools } from "./sandbox-probe.ts";

/** Already readable inside; nothing can be mounted on a path that does not exist. */
const ALWAYS_READABLE = ["/etc", ...SYSTEM_FOLDERS, ...ROOT_FOLDERS];

export interface SandboxFactsRequest {
  readonly tools: SandboxTools;
  readonly support: SandboxFiles;
  readonly user: SandboxFacts["user"];
  /** Writable folders, as real paths. */
  readonly roots: readonly string[];
  /** pairpty's own folders. */
  readonly ownFolders: readonly string[];
  readonly readable: readonly string[];
  readonly path: string;
  readonly network: Network;
  /** `limits.memory`. */
  readonly memory: number | undefined;
  readonly envAllowlist: ReadonlySet<string>;
  /** Whether a path may be guarded. */
  allows(this: void, path: string): boolean;
  /** The command if it runs in a terminal; empty if it runs with pipes. */
  readonly prompt: readonly string[];
}

export type SandboxFactsResult =
  | { readonly ok: true; readonly facts: SandboxFacts }
  | { readonly ok: false; readonly error: string };

export function gatherSandboxFacts(request: SandboxFactsRequest): SandboxFactsResult {
  const { tools, support, user, network, envAllowlist } = request;
  const rooted = findRootsWithGuards(request.roots, request.allows);
  if (!rooted.ok) return rooted;
  const { roots } = rooted;
  const hidden = toOwnFolders(request.ownFolders, request.roots);
  const never = [...hidden, ...request.roots];
  const facts: SandboxFacts = {
    programs: tools.programs,
    canForbidNamespaces: tools.canForbidNamespaces,
    sizes: tools.canSizeFolders ? folderSizes(request.memory, totalmem()) : undefined,
    files: support,
    user,
    rootFolders: ROOT_FOLDERS.filter((path) => existsSync(path)).map((path) => ({
      path,
      link: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined,
    })),
    procMasks: (user.isRoot ? PROC_READ_ONLY : PROC_READ_ONLY.slice(0, 1)).filter((name) =>
      existsSync(join("/proc", name)),
    ),
    roots,
    readable: [
      ...toolFolders(request.path, user.home, never, existsSync),
      ...request.readable.filter(
        (path) => !ALWAYS_READABLE.some((folder) => isInside(path, folder)),
      ),
      ...request.roots.flatMap((root) => findRepository(root, request.roots) ?? []),
    ],
    hidden,
    network,
    envAllowlist,
    isDash: isDashPrompt(request.prompt),
  };
  return { ok: true, facts };
}

/** Whether the command is dash at a prompt, directly or started by `dash -c`. */
function isDashPrompt([program = "", ...args]: readonly string[]): boolean {
  if (!existsSync(program) || basename(realpathSync(program)) !== "dash") return false;
  const [option, line = ""] = args;
  if (option === "-c") return /^\s*(?:exec )?\S*\b(?:sh|dash)(?: -[il]+)*\s*$/.test(line);
  return args.every((word) => /^-[a-z]+$/.test(word) && !word.includes("c"));
}

// Owns finding the repository of a linked worktree, whose `.git` is a file that names a folder
// elsewhere. It is readable inside, so that git can show changes. A `.git` from a download or an
// agent could name any folder, so the repository must also name the worktree, in the place where
// git does so and where no agent can write.

/** Returns the folder of the repository (`…/.git`) as a real path. `roots` are the writable folders. */
export function findRepository(root: string, roots: readonly string[]): string | undefined {
  const file = join(root, ".git");
  const folder = /^gitdir: (.+)\n?$/.exec(readIfFile(file))?.[1];
  const own = folder === undefined ? undefined : findRealPath(resolve(root, folder));
  if (own === undefined || roots.some((writable) => isInside(own, writable))) return undefined;
  if (readIfFile(join(own, "gitdir")).trim() !== file) return undefined;
  const repository = dirname(dirname(own));
  const common = findRealPath(resolve(own, readIfFile(join(own, "commondir")).trim()));
  const isPlace = basename(dirname(own)) === "worktrees" && existsSync(join(repository, "HEAD"));
  return isPlace && common === repository ? repository : undefined;
}

/** Returns the real path; undefined if it was moved, which git itself reports. */
function findRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(findSystemCode(error) ?? ""))
      return undefined;
    throw error;
  }
}

function readIfFile(path: string): string {
  try {
    return readOptionalFile(path) ?? "";
  } catch (error) {
    if (["EISDIR", "ENOTDIR", "EACCES"].includes(findSystemCode(error) ?? "")) return "";
    throw error;
  }
}
