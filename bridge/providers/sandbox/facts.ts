// Owns what the sandbox's builders know of this machine and this workspace, as plain values.

import type { FolderSizes } from "../private-folders.ts";
import type { WritableRoot } from "../roots.ts";
import type { Network } from "../settings.ts";

export interface Programs {
  readonly sh: string;
  /** With `--ignore-signal` and `--default-signal`. */
  readonly env: string;
  readonly bwrap: string;
  /** Undefined where it is missing. */
  readonly perl: string | undefined;
  /** Undefined where it is missing: limits that need it are not enforced. */
  readonly prlimit: string | undefined;
}

/** Files and folders of ours that are seen inside under other names. */
export interface Support {
  /** The seccomp filter. */
  readonly filter: string;
  /** All of /etc but what is mounted from the real one. */
  readonly etc: string;
  readonly ofEtc: readonly string[];
  /** What sandboxes of this workspace keep in `~/.cache`. */
  readonly cache: string;
}

export interface SandboxFacts {
  readonly programs: Programs;
  readonly support: Support;
  /** This bubblewrap can forbid user namespaces inside. */
  readonly canForbidNamespaces: boolean;
  /** Of the private folders; undefined where this bubblewrap cannot bound them. */
  readonly sizes: FolderSizes | undefined;
  readonly user: {
    /** As seen inside. */
    readonly uid: number;
    readonly gid: number;
    /** Outside. */
    readonly isRoot: boolean;
    readonly name: string;
    /** A real path. */
    readonly home: string;
  };
  /** /bin and its like: a link's target, or undefined for a folder. */
  readonly rootFolders: readonly { readonly path: string; readonly link: string | undefined }[];
  /** Files below /proc that exist here and are covered. */
  readonly procMasks: readonly string[];
  /** Shorter paths first. */
  readonly roots: readonly WritableRoot[];
  /** Beside the usual: folders of PATH, `sandbox.readable`, the repository of a linked worktree. */
  readonly readable: readonly string[];
  /** Pairpty's own, as real paths; each exists if it lies in a root. */
  readonly hidden: readonly string[];
  readonly network: Network;
  /** The program is dash, at a prompt: see `LEAD`. */
  readonly isDash: boolean;
  readonly letThrough: ReadonlySet<string>;
}
