// Owns the order in which a run ends: by a stop, which ends everything, or by a detach, which leaves
// terminals and relay to the next bridge. Whether and when it ends is bridge-run.ts's to decide.

import type { DisposableStore } from "../disposable-store.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { IsolationService } from "../isolation/isolation-service.ts";
import { sweepInstance } from "../sweep.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { forgetHost } from "../terminals/start-host.ts";
import type { DurableFile } from "../workspace/durable-file.ts";
import type { LocalDoors } from "./local-doors.ts";
import type { RoomLink } from "./room-link.ts";
import type { Room } from "./room.ts";
import type { RunOptions } from "./run-options.ts";
import type { RunProcesses } from "./run-processes.ts";
import type { RunTunnel } from "./run-tunnel.ts";
import { runSequentially } from "./shutdown-steps.ts";

/**
 * Who ended a bridge on purpose: Ctrl-C or `q` in its window, `pairpty stop`, a signal, or the idle
 * timeout.
 */
export type EndedBy = "window" | "stop" | "signal" | "idle";

/** How long an end keeps the tunnel open for clients that do not answer. */
const TUNNEL_DRAIN_MS = 1_000;

export interface RunShutdownDeps {
  readonly options: Pick<RunOptions, "folders" | "graceMs" | "log">;
  readonly room: Pick<Room, "files" | "hub">;
  readonly pool: Pick<TerminalPool, "count">;
  readonly grants: Pick<GrantTable, "list" | "revoke">;
  readonly link: Pick<RoomLink, "farewell">;
  readonly tunnel: Pick<RunTunnel, "stop"> | undefined;
  readonly isolation: Pick<IsolationService, "end">;
  readonly processes: Pick<
    RunProcesses,
    "end" | "endRecordedRelay" | "host" | "release" | "stopReplacing"
  >;
  readonly localDoors: Pick<LocalDoors, "close">;
  /** Doors and what depends on them; disposed first. */
  readonly doors: DisposableStore;
  /** Listeners of terminal events; disposed last, so that they get the final ones. */
  readonly listeners: DisposableStore;
  readonly files: readonly DurableFile[];
  /** Makes a round trip to everyone, within the given time. */
  readonly measure: (milliseconds: number) => Promise<unknown>;
}

/** Ends everything: session grants, link, terminals, pty host, embedded relay. */
export async function stopRun(deps: RunShutdownDeps, by: EndedBy): Promise<void> {
  const { room, processes } = deps;
  // First: pages must not mistake the end of their links for a revocation.
  room.hub.markStopping();
  const { folders, log } = deps.options;
  log.info(`stopping, by ${by}; terminals that end: ${deps.pool.count}`);
  const { instance } = processes.host.welcome;
  await runSequentially(log, {
    "sending farewell to the room": () => deps.link.farewell({ state: "ended", by }),
    // Data in transit is lost with the tunnel; a later round trip proves that it arrived.
    "waiting for the tunnel to drain": () => awaitTunnel(deps),
    // Before the grants end: a client that is cut off checks whether this bridge still runs [M16].
    "closing local sockets": () => deps.localDoors.close(),
    "revoking session grants": () => revokeSession(deps.grants),
    "closing all connections": () => deps.doors.dispose(),
    // The tunnel ends before the relay, so that no new connection arrives.
    "ending the tunnel": () => deps.tunnel?.stop(),
    "ending the pty host and the relay": () => processes.end(),
    "ending the recorded relay": () => processes.endRecordedRelay(),
    "ending leftover processes": () => sweepInstance(instance),
    "removing sandboxes": () => deps.isolation.end(),
    "forgetting the pty host": () => forgetHost(folders.state, instance),
    "removing uploads": () => {
      const error = room.files.removeFolder();
      if (error !== undefined) log.error(error);
    },
    "saving access files": () => disposeFiles(deps.files),
    "disposing terminal listeners": () => deps.listeners.dispose(),
    "closing the pty host connection": () => processes.host.close(),
  });
}

/** Leaves terminals and relay to the next bridge. Resolves when the room knows, within 2 s. */
export async function detachRun(deps: RunShutdownDeps): Promise<void> {
  const { graceMs } = deps.options;
  deps.processes.stopReplacing();
  await deps.link.farewell({ state: "left", graceMs });
  await awaitTunnel(deps);
  // The relay's process ends the tunnel, too, once this bridge is gone.
  void deps.tunnel?.stop();
  deps.doors.dispose();
  disposeFiles(deps.files);
  deps.listeners.dispose();
  deps.processes.release();
}

/** Resolves when people behind the tunnel got what was sent before, or do not answer in time. */
async function awaitTunnel({ tunnel, measure }: RunShutdownDeps): Promise<void> {
  if (tunnel !== undefined) await measure(TUNNEL_DRAIN_MS);
}

function revokeSession(grants: Pick<GrantTable, "list" | "revoke">): void {
  for (const { id, session, connection } of grants.list()) {
    // A local connection's grant ends with its connection; nobody revoked it.
    if (session && connection !== true) grants.revoke(id);
  }
}

function disposeFiles(files: readonly DurableFile[]): void {
  for (const file of files) file.dispose();
}
