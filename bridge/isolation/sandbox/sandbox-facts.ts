// Owns what the builders of sandboxes know about this machine and this workspace, as plain values.

import type { FolderSizes } from "../private-folders.ts";
import type { WritableRoot } from "../writable-roots.ts";
import type { Network } from "../isolation-settings.ts";

export interface SandboxPrograms {
  readonly sh: string;
  /** Supports `--ignore-signal` and `--default-signal`. */
  readonly env: string;
  readonly bwrap: string;
  /** Undefined if it is not installed. */
  readonly perl: string | undefined;
  /** Undefined if it is not installed: limits that need it are not enforced. */
  readonly prlimit: string | undefined;
}

/** Our files and folders that have other names inside. */
export interface SandboxFiles {
  /** The seccomp filter. */
  readonly filter: string;
  /** All of /etc except the files that are mounted from the real one. */
  readonly etc: string;
  readonly etcMounts: readonly string[];
  /** `~/.cache` of this workspace's sandboxes. */
  readonly cache: string;
}

export interface SandboxFacts {
  readonly programs: SandboxPrograms;
  readonly files: SandboxFiles;
  /** Whether this version of bubblewrap can forbid user namespaces inside. */
  readonly canForbidNamespaces: boolean;
  /** Sizes of the private folders; undefined if this version of bubblewrap cannot set them. */
  readonly sizes: FolderSizes | undefined;
  readonly user: {
    /** Path as seen inside the sandbox. */
    readonly uid: number;
    readonly gid: number;
    /** Whether the user outside is root. */
    readonly isRoot: boolean;
    readonly name: string;
    /** A real path. */
    readonly home: string;
  };
  /** /bin and similar: the target of a link, or undefined for a folder. */
  readonly rootFolders: readonly { readonly path: string; readonly link: string | undefined }[];
  /** Files below /proc that exist here and are masked. */
  readonly procMasks: readonly string[];
  /** Shorter paths first. */
  readonly roots: readonly WritableRoot[];
  /** Besides the usual folders: those of PATH, `sandbox.readable`, the repository of a linked worktree. */
  readonly readable: readonly string[];
  /** pairpty's own folders, as real paths; each exists if it is in a root. */
  readonly hidden: readonly string[];
  readonly network: Network;
  /** Whether the program is dash at a prompt: see `LEAD_GROUP_SCRIPT`. */
  readonly isDash: boolean;
  readonly envAllowlist: ReadonlySet<string>;
}
