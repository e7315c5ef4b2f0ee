// Owns what the builder of containers knows about this machine and this workspace, as plain values.

import type { Network, Runtime } from "../isolation-settings.ts";
import type { FolderSizes } from "../private-folders.ts";
import type { WritableRoot } from "../writable-roots.ts";

/** Facts known after a trial container has run. */
export interface ContainerTools {
  readonly runtime: Runtime;
  /** The full path of the program. */
  readonly program: string;
  readonly version: string;
  /** Options of the program itself, before `run`. */
  readonly options: readonly string[];
  /** Options of `run`. */
  readonly runOptions: readonly string[];
  /** The user inside, as an option of the program: `--userns=keep-id`. */
  readonly identity: readonly string[];
  /** Which limits that need a cgroup are enforced. */
  readonly enforcedLimits: {
    readonly memory: boolean;
    readonly pids: boolean;
    readonly cpu: boolean;
  };
  readonly firstProcess: FirstProcess;
}

/**
 * The first process of a container ignores Ctrl-C and similar signals unless it handles them, so the
 * program itself must not be the first.
 */
export interface FirstProcess {
  /** Options of `run`. */
  readonly options: readonly string[];
  /** Words before the command. */
  readonly words: readonly string[];
  /** Whether signals such as TERM, sent to the client, reach the program. */
  readonly passesSignals: boolean;
}

export interface ContainerFacts extends ContainerTools {
  /** Arguments that name its file system: `["image:tag"]` or `["--rootfs", "/folder"]`. */
  readonly source: readonly string[];
  /** Our files that git finds in its home. */
  readonly git: { readonly config: string; readonly ignore: string };
  readonly roots: readonly WritableRoot[];
  /** pairpty's own folders, as real paths. */
  readonly hidden: readonly string[];
  readonly sizes: FolderSizes;
  readonly network: Network;
  /** The name of the workspace, for labels. */
  readonly label: string;
  /**
   * Variables that the container program needs from the user's environment; the container sees none of
   * them.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly envAllowlist: ReadonlySet<string>;
  /** Limits of this process: open files and processes. */
  readonly maxLimits: { readonly openFiles: string; readonly processes: string };
}
