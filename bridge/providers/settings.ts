// Owns what the user says about walls, as plain values: made from the configuration, used by the
// builders. Decides nothing.

import type { Isolation } from "../../protocol/isolation.ts";

export const NETWORKS = ["none", "host"] as const;
/** none: a loopback of its own. host: whatever this machine reaches. */
export type Network = (typeof NETWORKS)[number];

/** Of each thing that an agent starts. Undefined: no limit of ours. */
export interface Limits {
  /** Bytes. */
  readonly memory?: number | undefined;
  /** Processes and threads. */
  readonly pids?: number | undefined;
  /** Cores at once; 1.5 is one and a half. */
  readonly cpu?: number | undefined;
  /** Seconds on a processor, of one process. */
  readonly cpuTime?: number | undefined;
  /** Bytes of one file. */
  readonly fileSize?: number | undefined;
  /** Open files of one process. */
  readonly openFiles?: number | undefined;
  /** Milliseconds from its start. */
  readonly wallClock?: number | undefined;
}

export const RUNTIMES = ["podman", "docker"] as const;
export type Runtime = (typeof RUNTIMES)[number];

export interface ContainerSettings {
  readonly image?: string | undefined;
  /** A folder with a root file system, instead of an image. */
  readonly rootfs?: string | undefined;
  /** Undefined: the one that is there, podman first. */
  readonly runtime?: Runtime | undefined;
  /** Before `run`: `--runtime runc`. */
  readonly options: readonly string[];
}

export interface IsolationSettings {
  /** The least wall of whatever agents start. */
  readonly floor: Isolation;
  readonly network: Network;
  /** Folders and files that a sandbox may read beside the usual ones; absolute. */
  readonly readable: readonly string[];
  readonly container: ContainerSettings;
  readonly limits: Limits;
}

export const NO_WALLS: IsolationSettings = {
  floor: "none",
  network: "none",
  readable: [],
  container: { options: [] },
  limits: {},
};
