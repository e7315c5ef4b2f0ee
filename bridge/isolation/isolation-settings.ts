// Owns the user's settings for isolation, as plain values: made from the configuration, used by the
// builders. Decides nothing.

import type { Isolation } from "../../protocol/isolation.ts";

export const NETWORKS = ["none", "host"] as const;
/** none: only its own loopback. host: everything that this machine reaches. */
export type Network = (typeof NETWORKS)[number];

/** Limits of each sandboxed start; undefined means that pairpty sets none. */
export interface Limits {
  /** Bytes. */
  readonly memory?: number | undefined;
  /** Processes and threads. */
  readonly pids?: number | undefined;
  /** Cores in use at the same time; 1.5 is one and a half. */
  readonly cpu?: number | undefined;
  /** Seconds of processor time of one process. */
  readonly cpuTime?: number | undefined;
  /** Bytes of one file. */
  readonly fileSize?: number | undefined;
  /** Open files of one process. */
  readonly openFiles?: number | undefined;
  /** Milliseconds since the start. */
  readonly wallClock?: number | undefined;
}

export const RUNTIMES = ["podman", "docker"] as const;
export type Runtime = (typeof RUNTIMES)[number];

export interface ContainerSettings {
  readonly image?: string | undefined;
  /** A folder with a root file system, instead of an image. */
  readonly rootfs?: string | undefined;
  /** Undefined picks the installed one, podman first. */
  readonly runtime?: Runtime | undefined;
  /** Options before `run`: `--runtime runc`. */
  readonly options: readonly string[];
}

export interface IsolationSettings {
  /** The minimum isolation of anything that agents start. */
  readonly floor: Isolation;
  readonly network: Network;
  /** Absolute paths that a sandbox can read besides the usual ones. */
  readonly readable: readonly string[];
  readonly container: ContainerSettings;
  readonly limits: Limits;
}

export const NO_ISOLATION: IsolationSettings = {
  floor: "none",
  network: "none",
  readable: [],
  container: { options: [] },
  limits: {},
};
