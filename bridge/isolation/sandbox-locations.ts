// Owns where the sandboxes of one workspace are: its folders, its user, and which folders cannot be
// isolated. Also owns the sizes of private folders in a sandbox.

import { existsSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { MiB } from "../../protocol/limits.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { isInside } from "../workspace/folders.ts";

export interface SandboxLocations {
  /** Folders that are writable inside, as real paths; the workspace is the first. */
  readonly roots: readonly string[];
  /** pairpty's own folders, hidden inside. */
  readonly ownFolders: readonly string[];
  /** Folder for files that sandboxes need, for this workspace alone. */
  readonly folder: string;
  /** Folder for records of placeholders, for all workspaces of this user. */
  readonly placeholders: string;
  /** The name of this workspace in names and labels. */
  readonly name: string;
  readonly shell: string;
  /** Names of variables that the user allows inside. */
  readonly envAllowlist: ReadonlySet<string>;
}

/** Returns the folders of a workspace of this user. */
export function toSandboxFolders({
  state,
}: Pick<WorkspaceFolders, "state">): Pick<SandboxLocations, "folder" | "placeholders" | "name"> {
  const root = dirname(dirname(state));
  return {
    folder: join(state, "isolation"),
    placeholders: join(root, "placeholders"),
    name: basename(state),
  };
}

export interface SandboxUser {
  /** Whether the user outside is root. */
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
  /** The name inside. */
  readonly name: string;
  readonly home: string;
}

/** The user inside, if it cannot be the user outside. */
const FALLBACK_USER = { uid: 1000, gid: 1000, name: "agent", home: "/home/agent" };

/** Returns the user as seen inside: never root, since programs do more when they run as root. */
export function getSandboxUser(): SandboxUser {
  const { uid, gid, username } = userInfo();
  const home = homedir();
  const isUsable = isAbsolute(home) && home !== "/" && existsSync(home);
  const real = isUsable ? realpathSync(home) : FALLBACK_USER.home;
  if (uid === 0) return { ...FALLBACK_USER, home: real, isRoot: true };
  return { uid, gid, name: username, home: real, isRoot: false };
}

/** Folders of the system: making them writable would defeat the sandbox. */
const SYSTEM_ROOTS =
  `/ /bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /run /sbin /sys /usr /var`.split(" ");
const KERNEL_ROOTS = ["/proc", "/sys", "/dev"];

/** Returns why a folder cannot be isolated; undefined if it can. */
export function findRootProblem(root: string): string | undefined {
  const isSystems =
    SYSTEM_ROOTS.includes(root) || KERNEL_ROOTS.some((folder) => isInside(root, folder));
  return isSystems ? `${root} belongs to the system: pairpty cannot isolate it` : undefined;
}

// Owns the sizes of private folders in a sandbox. They are in memory, and without a control group
// nothing else limits them: the kernel's default is half of the machine for each. Pure.

/** Bytes that each may hold. */
export interface FolderSizes {
  readonly tmp: number;
  readonly home: number;
  readonly varTmp: number;
  readonly shm: number;
}

/** A smaller folder is useless. */
const MIN_BYTES = 16 * MiB;

/** Returns the sizes: together `limit`, if it is set, and at most half of this machine's memory. */
export function folderSizes(limit: number | undefined, machine: number): FolderSizes {
  const all = Math.min(limit ?? Infinity, machine / 2);
  const share = (part: number) => Math.max(MIN_BYTES, Math.floor(all / part));
  return { tmp: share(2), home: share(4), varTmp: share(8), shm: share(8) };
}
