// Owns gathering the facts of a sandbox from the disk, at each start: folders come and go.

import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { basename, join } from "node:path";
import { isInside } from "../../workspace/inside.ts";
import { folderSizes } from "../private-folders.ts";
import { ownFolders, rootsWithGuards } from "../roots.ts";
import type { Network } from "../settings.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { PROC_READ_ONLY } from "./mounts.ts";
import type { SandboxTools } from "./probe.ts";
import { repositoryOf } from "./repository.ts";
import { ROOT_FOLDERS, SYSTEM_FOLDERS, toolFolders } from "./tool-folders.ts";

/** Already readable inside; nothing can be mounted on a path that does not exist. */
const SHOWN = ["/etc", ...SYSTEM_FOLDERS, ...ROOT_FOLDERS];

export interface GatherWish {
  readonly tools: SandboxTools;
  readonly support: Support;
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
  readonly letThrough: ReadonlySet<string>;
  /** Whether a path may be guarded. */
  allows(this: void, path: string): boolean;
  /** The command if it runs in a terminal; empty if it runs with pipes. */
  readonly prompt: readonly string[];
}

export type Gathered =
  | { readonly ok: true; readonly facts: SandboxFacts }
  | { readonly ok: false; readonly error: string };

export function gatherSandbox(wish: GatherWish): Gathered {
  const { tools, support, user, network, letThrough } = wish;
  const rooted = rootsWithGuards(wish.roots, wish.allows);
  if (!rooted.ok) return rooted;
  const { roots } = rooted;
  const hidden = ownFolders(wish.ownFolders, wish.roots);
  const never = [...hidden, ...wish.roots];
  const facts: SandboxFacts = {
    programs: tools.programs,
    canForbidNamespaces: tools.canForbidNamespaces,
    sizes: tools.canSizeFolders ? folderSizes(wish.memory, totalmem()) : undefined,
    support,
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
      ...toolFolders(wish.path, user.home, never, existsSync),
      ...wish.readable.filter((path) => !SHOWN.some((folder) => isInside(path, folder))),
      ...wish.roots.flatMap((root) => repositoryOf(root, wish.roots) ?? []),
    ],
    hidden,
    network,
    letThrough,
    isDash: isPromptOfDash(wish.prompt),
  };
  return { ok: true, facts };
}

/** Whether the command is dash at a prompt, directly or started by `dash -c`. */
function isPromptOfDash([program = "", ...args]: readonly string[]): boolean {
  if (!existsSync(program) || basename(realpathSync(program)) !== "dash") return false;
  const [option, line = ""] = args;
  if (option === "-c") return /^\s*(?:exec )?\S*\b(?:sh|dash)(?: -[il]+)*\s*$/.test(line);
  return args.every((word) => /^-[a-z]+$/.test(word) && !word.includes("c"));
}
