// Owns where the walls of one workspace stand: its folders, and who its user is. Also which folders
// no wall can be built around.

import { existsSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { isInside } from "../workspace/inside.ts";

export interface WallPlace {
  /** Folders that are writable inside, as real paths; the workspace's is the first. */
  readonly roots: readonly string[];
  /** Pairpty's own, hidden inside. */
  readonly ownFolders: readonly string[];
  /** Where the files that walls need are kept, for this workspace alone. */
  readonly folder: string;
  /** Where placeholders are written down, for all workspaces of this user. */
  readonly placeholders: string;
  /** This workspace's among all: in names and labels. */
  readonly name: string;
  readonly shell: string;
  /** Names of variables that the user lets through. */
  readonly letThrough: ReadonlySet<string>;
}

/** Of a workspace of this user. */
export function wallFolders({
  state,
}: Pick<WorkspaceFolders, "state">): Pick<WallPlace, "folder" | "placeholders" | "name"> {
  const root = dirname(dirname(state));
  return {
    folder: join(state, "isolation"),
    placeholders: join(root, "placeholders"),
    name: basename(state),
  };
}

export interface WallUser {
  /** Outside. */
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
  /** Inside. */
  readonly name: string;
  readonly home: string;
}

/** What the user of a sandbox is where it cannot be who they are outside. */
const STAND_IN = { uid: 1000, gid: 1000, name: "agent", home: "/home/agent" };

/** As seen inside: never root, who is asked for less than anybody else. */
export function wallUser(): WallUser {
  const { uid, gid, username } = userInfo();
  const home = homedir();
  const isUsable = isAbsolute(home) && home !== "/" && existsSync(home);
  const real = isUsable ? realpathSync(home) : STAND_IN.home;
  if (uid === 0) return { ...STAND_IN, home: real, isRoot: true };
  return { uid, gid, name: username, home: real, isRoot: false };
}

/** With these writable there would be no wall. */
const SYSTEM =
  `/ /bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /run /sbin /sys /usr /var`.split(" ");
const KERNELS = ["/proc", "/sys", "/dev"];

/** Undefined where a wall can be built around it. */
export function whyNotRoot(root: string): string | undefined {
  const isSystems = SYSTEM.includes(root) || KERNELS.some((folder) => isInside(root, folder));
  return isSystems ? `${root} belongs to the system: pairpty cannot isolate it` : undefined;
}
