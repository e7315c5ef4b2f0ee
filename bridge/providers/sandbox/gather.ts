// Owns gathering the facts of a sandbox from the disk, for each start anew: folders come and go.

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { systemCode } from "../../errors.ts";
import type { GitFiles } from "../git-files.ts";
import { ownFolders, rootsWithGuards } from "../roots.ts";
import type { Network } from "../settings.ts";
import type { SandboxFacts, Support } from "./facts.ts";
import { PROC_READ_ONLY } from "./mounts.ts";
import type { SandboxTools } from "./probe.ts";
import { repositoryOf } from "./repository.ts";
import { ROOT_FOLDERS, toolFolders } from "./tool-folders.ts";

export interface GatherWish {
  readonly tools: SandboxTools;
  readonly support: Support;
  readonly git: GitFiles;
  readonly user: SandboxFacts["user"];
  /** Writable folders, as real paths. */
  readonly roots: readonly string[];
  /** Pairpty's own. */
  readonly ownFolders: readonly string[];
  readonly readable: readonly string[];
  readonly path: string;
  readonly network: Network;
  readonly letThrough: ReadonlySet<string>;
  /** What runs in a terminal; nothing where it runs by pipes. */
  readonly prompt: readonly string[];
}

export type Gathered =
  | { readonly ok: true; readonly facts: SandboxFacts }
  | { readonly ok: false; readonly error: string };

export function gatherSandbox(wish: GatherWish): Gathered {
  const { tools, support, git, user, network, letThrough } = wish;
  const rooted = rootsWithGuards(wish.roots);
  if (!rooted.ok) return rooted;
  const { roots } = rooted;
  const hidden = ownFolders(wish.ownFolders, wish.roots);
  const never = [...hidden, ...wish.roots];
  const facts: SandboxFacts = {
    ...tools,
    support,
    git,
    user,
    rootFolders: ROOT_FOLDERS.filter((path) => existsSync(path)).map((path) => ({
      path,
      link: lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined,
    })),
    procMasks: PROC_READ_ONLY.filter((name) => existsSync(join("/proc", name))),
    roots,
    readable: [
      ...toolFolders(wish.path, user.home, never, existsSync),
      ...javaSettings(),
      ...wish.readable,
      ...wish.roots.flatMap((root) => repositoryOf(root) ?? []),
    ],
    hidden,
    network,
    letThrough,
    isDash: isPromptOfDash(wish.prompt),
  };
  return { ok: true, facts };
}

/** By itself, or as the line of another. */
function isPromptOfDash([program = "", ...args]: readonly string[]): boolean {
  if (!existsSync(program) || basename(realpathSync(program)) !== "dash") return false;
  const [option, line = ""] = args;
  if (option === "-c") return /^\s*(?:exec )?\S*\b(?:sh|dash)(?: -[il]+)*\s*$/.test(line);
  return args.every((word) => /^-[a-z]+$/.test(word) && !word.includes("c"));
}

/** Debian keeps them in /etc, one folder for each version. */
function javaSettings(): string[] {
  try {
    return readdirSync("/etc")
      .filter((name) => /^java-\d/.test(name))
      .map((name) => join("/etc", name));
  } catch (error) {
    if (systemCode(error) === "EACCES") return [];
    throw error;
  }
}
