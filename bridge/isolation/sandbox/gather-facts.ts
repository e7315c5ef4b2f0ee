// Owns gathering the facts of a sandbox from the disk, at each start: folders come and go.

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { basename, join } from "node:path";
import { isInside } from "../../workspace/is-inside.ts";
import { folderSizes } from "../private-folders.ts";
import { toOwnFolders, findRootsWithGuards } from "../writable-roots.ts";
import type { Network } from "../isolation-settings.ts";
import type { SandboxFacts, SandboxFiles } from "./sandbox-facts.ts";
import { PROC_READ_ONLY } from "./sandbox-mounts.ts";
import type { SandboxTools } from "./sandbox-probe.ts";
import { findRepository } from "./worktree-repository.ts";
import { ROOT_FOLDERS, SYSTEM_FOLDERS, toolFolders } from "./tool-folders.ts";

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
