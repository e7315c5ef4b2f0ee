// Owns gathering the facts of a sandbox from the disk, for each start anew: folders come and go.

import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";
import { isInside } from "../../workspace/inside.ts";
import { makeFolder } from "../../workspace/make-folder.ts";
import { guardsOf } from "../guards.ts";
import { look } from "../look.ts";
import type { Network } from "../settings.ts";
import type { SandboxFacts, Support, WritableRoot } from "./facts.ts";
import { PROC_READ_ONLY } from "./mounts.ts";
import type { SandboxTools } from "./probe.ts";
import { repositoryOf } from "./repository.ts";
import { ROOT_FOLDERS, toolFolders } from "./tool-folders.ts";

export interface GatherWish {
  readonly tools: SandboxTools;
  readonly support: Support;
  readonly user: SandboxFacts["user"];
  /** Writable folders, as real paths. */
  readonly roots: readonly string[];
  /** Pairpty's own. */
  readonly ownFolders: readonly string[];
  readonly readable: readonly string[];
  readonly path: string;
  readonly network: Network;
  readonly letThrough: ReadonlySet<string>;
}

export type Gathered =
  | { readonly ok: true; readonly facts: SandboxFacts }
  | { readonly ok: false; readonly error: string };

export function gatherSandbox(wish: GatherWish): Gathered {
  const { tools, support, user, network, letThrough } = wish;
  const roots: WritableRoot[] = [];
  for (const path of [...new Set(wish.roots)].sort((a, b) => a.length - b.length)) {
    const guarded = guardsOf(path, look);
    if (!guarded.ok) return guarded;
    roots.push({ path, guards: guarded.guards });
  }
  const hidden = wish.ownFolders.map((folder) => hideable(folder, wish.roots));
  const never = [...hidden, ...wish.roots];
  const facts: SandboxFacts = {
    ...tools,
    support,
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
  };
  return { ok: true, facts };
}

/** One in a writable folder is made if it is absent: nobody else may make it. */
function hideable(folder: string, roots: readonly string[]): string {
  if (!existsSync(folder) && roots.some((root) => isInside(folder, root))) makeFolder(folder);
  return existsSync(folder) ? realpathSync(folder) : folder;
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
