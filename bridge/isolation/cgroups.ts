// Owns control groups for processes that agents start: one for each start, with limits for all its
// processes together. Uses version 1 where this process may create groups, and version 2 where the
// parent group delegates its controllers; otherwise limits go through systemd (limiter.ts) or
// are not enforced. Groups are removed when empty; the kernel refuses to remove others.

import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { findSystemCode } from "../errors.ts";
import type { Limits } from "./isolation-settings.ts";

export type Controller = "memory" | "pids" | "cpu";

const MOUNT = "/sys/fs/cgroup";
const PERIOD_US = 100_000;
/** After this time, a process that was to enter a group has done so. */
const SETTLED_MS = 10_000;

/** Where groups can be created: one folder for each controller of version 1, one for all of version 2. */
export type CgroupHome =
  | { readonly version: 1; readonly folders: Readonly<Partial<Record<Controller, string>>> }
  | { readonly version: 2; readonly folder: string; readonly controllers: readonly Controller[] };

/**
 * Returns where groups can be created; undefined if that is not possible. `own` is the text of
 * /proc/self/cgroup.
 */
export function findCgroups(own = read("/proc/self/cgroup")): CgroupHome | undefined {
  const lines = own.split("\n").map((line) => line.split(":"));
  const unified = lines.find(([number]) => number === "0")?.[2];
  if (unified !== undefined && existsSync(join(MOUNT, "cgroup.controllers"))) {
    // A sibling of our own group: a group with processes in it cannot delegate controllers.
    const folder = dirname(join(MOUNT, unified));
    const controllers = read(join(folder, "cgroup.subtree_control")).trim().split(" ");
    const usable = CONTROLLERS.filter((name) => controllers.includes(name));
    if (usable.length === 0 || !isWritableFolder(folder) || !folder.startsWith(MOUNT))
      return undefined;
    return { version: 2, folder, controllers: usable };
  }
  const folders = CONTROLLERS.flatMap((name) => {
    const path = lines.find(([, names = ""]) => names.split(",").includes(name))?.[2];
    const folder = path === undefined ? undefined : join(MOUNT, name, path);
    return folder !== undefined && isWritableFolder(folder) ? [[name, folder] as const] : [];
  });
  return folders.length === 0 ? undefined : { version: 1, folders: Object.fromEntries(folders) };
}

const CONTROLLERS: readonly Controller[] = ["memory", "pids", "cpu"];

export function listControllers(home: CgroupHome): readonly Controller[] {
  if (home.version === 2) return home.controllers;
  return CONTROLLERS.filter((name) => home.folders[name] !== undefined);
}

/** Returns files and the values to write into them; of each row the first file that exists counts. Pure. */
export function cgroupSettings(
  version: 1 | 2,
  { memory, pids, cpu }: Limits,
): { readonly controller: Controller; readonly file: string; readonly value: string }[] {
  const quota = cpu === undefined ? undefined : Math.round(cpu * PERIOD_US);
  const first = version === 1;
  const rows = [
    ["memory", first ? "memory.limit_in_bytes" : "memory.max", memory],
    [
      "memory",
      first ? "memory.memsw.limit_in_bytes" : "memory.swap.max",
      first ? memory : memory && 0,
    ],
    ["pids", "pids.max", pids],
    [
      "cpu",
      first ? "cpu.cfs_quota_us" : "cpu.max",
      first ? quota : quota && `${quota} ${PERIOD_US}`,
    ],
  ] as const;
  return rows.flatMap(([controller, file, value]) =>
    value === undefined ? [] : [{ controller, file, value: String(value) }],
  );
}

export class Cgroups {
  readonly #home: CgroupHome;
  readonly #prefix: string;

  /** `name` is the workspace's; its groups are recognised by it. */
  constructor(home: CgroupHome, name: string) {
    this.#home = home;
    this.#prefix = `pairpty-${name.slice(0, 16)}-`;
  }

  /** Creates a group with these limits. Returns the files by which a process enters it. */
  make(limits: Limits): string[] {
    const name = `${this.#prefix}${randomBytes(6).toString("hex")}`;
    const settings = cgroupSettings(this.#home.version, limits);
    const folders = new Set<string>();
    for (const { controller, file, value } of settings) {
      const parent = this.#getFolder(controller);
      if (parent === undefined) continue;
      const folder = join(parent, name);
      if (!folders.has(folder)) mkdirSync(folder);
      folders.add(folder);
      // Not every kernel accounts for swap; without the file, swap stays unlimited.
      if (existsSync(join(folder, file))) writeFileSync(join(folder, file), value);
    }
    return [...folders].map((folder) => join(folder, "cgroup.procs"));
  }

  /** Removes empty groups of this workspace, unless one is too young. Returns whether none is left. */
  sweep(isEnd = false): boolean {
    const parents = new Set(CONTROLLERS.flatMap((name) => this.#getFolder(name) ?? []));
    let isClean = true;
    for (const parent of parents) {
      const names = readdirSync(parent).filter((name) => name.startsWith(this.#prefix));
      for (const name of names) {
        if (!remove(join(parent, name), isEnd ? 0 : SETTLED_MS)) isClean = false;
      }
    }
    return isClean;
  }

  #getFolder(controller: Controller): string | undefined {
    const home = this.#home;
    if (home.version === 1) return home.folders[controller];
    return home.controllers.includes(controller) ? home.folder : undefined;
  }
}

/** Returns the command behind a shell that enters the groups first. Pure. */
export function withCgroups(
  sh: string,
  files: readonly string[],
  argv: readonly [string, ...string[]],
): [string, ...string[]] {
  if (files.length === 0) return [...argv];
  return [sh, "-c", ENTER_SCRIPT, "sh", String(files.length), ...files, ...argv];
}

const ENTER_SCRIPT =
  'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 125; shift; n=$((n - 1)); done; exec "$@"';

/** Removes a group; returns whether it is gone. */
function remove(folder: string, minAgeMs: number): boolean {
  try {
    if (Date.now() - statSync(folder).ctimeMs < minAgeMs) return false;
    rmdirSync(folder);
    return true;
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOENT") return true;
    // A process is still in it.
    if (code === "EBUSY") return false;
    throw error;
  }
}

function isWritableFolder(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    // Does not exist, or belongs to another user.
    return false;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The kernel or the mount does not have it.
    return "";
  }
}
