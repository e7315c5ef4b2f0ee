// Owns what the container's builder knows of this machine and this workspace, as plain values.

import type { Network, Runtime } from "../settings.ts";
import type { FolderSizes } from "../private-folders.ts";
import type { WritableRoot } from "../roots.ts";

/** What is known once a trial container has run. */
export interface ContainerTools {
  readonly runtime: Runtime;
  /** The program's full path. */
  readonly program: string;
  readonly version: string;
  /** Options of the program itself, before `run`. */
  readonly options: readonly string[];
  /** Options that `run` takes. */
  readonly runOptions: readonly string[];
  /** Whom the program in it is, in the program's own words: `--userns=keep-id`. */
  readonly identity: readonly string[];
  /** Which of the limits that need a cgroup are enforced. */
  readonly enforces: { readonly memory: boolean; readonly pids: boolean; readonly cpu: boolean };
  readonly first: FirstProcess;
}

/**
 * The first process of a container ignores Ctrl-C and its like unless it asks for them, so that must
 * not be the program itself.
 */
export interface FirstProcess {
  /** Of `run`. */
  readonly options: readonly string[];
  /** Before the command. */
  readonly words: readonly string[];
  /** TERM and its like, sent to the client, reach the program. */
  readonly passesSignals: boolean;
}

export interface ContainerFacts extends ContainerTools {
  /** What it is made of: `["image:tag"]` or `["--rootfs", "/folder"]`. */
  readonly source: readonly string[];
  /** Files of ours that git finds in its home. */
  readonly git: { readonly config: string; readonly ignore: string };
  readonly roots: readonly WritableRoot[];
  /** Pairpty's own, as real paths. */
  readonly hidden: readonly string[];
  readonly sizes: FolderSizes;
  readonly network: Network;
  /** The workspace's, for labels. */
  readonly label: string;
  /** What the program needs of the user's environment; none of it is seen inside. */
  readonly environment: Readonly<Record<string, string>>;
  readonly letThrough: ReadonlySet<string>;
  /** This process's own: as many files as it may have open, and processes. */
  readonly ceilings: { readonly openFiles: string; readonly processes: string };
}
