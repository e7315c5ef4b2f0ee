// Owns finding or starting the pty host of a workspace.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { findFullFolder } from "../resource-errors.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../errors.ts";
import { builtFile } from "../build-info.ts";
import { launch, waitForAnswer } from "../processes/launch.ts";
import { getLogFile } from "../logs/log-paths.ts";
import { endProcess, waitForEnd, isRunning, recordProcess } from "../processes/process-record.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { killProcess, listProcessTree } from "./end-tree.ts";
import { HostClient } from "./host-client.ts";
import { recordHost } from "./host-records.ts";
import { listCountedHostTerminals } from "./terminal.ts";

const START_TIMEOUT_MS = 15_000;
/** Its terminals get 2 s to end on their own. */
const END_MS = 6_000;

/** Connects to the workspace's pty host or starts one; ends what its dead hosts left behind. */
export async function openHost(folders: WorkspaceFolders, graceMs: number): Promise<HostClient> {
  const host = await findHost(folders, graceMs);
  recordHost(folders.state, host.welcome);
  return host;
}

async function findHost(folders: WorkspaceFolders, graceMs: number): Promise<HostClient> {
  const socket = join(folders.runtime, "host.sock");
  const existing = await HostClient.connect(socket).catch((error: unknown) => {
    if (isNotListening(error)) return undefined;
    // A host answers but is incompatible: an older host keeps its terminals.
    throw new UserError(
      `this folder's pty host is running, but pairpty cannot use it: ${errorMessage(error)}`,
      ExitCode.unavailable,
      "Stop the pairpty that started it, or kill that host; its terminals end with it.",
    );
  });
  if (existing !== undefined) return existing;
  const log = getLogFile(folders.state, "host");
  const args = ["--socket", socket, "--grace-ms", String(graceMs), "--log", log];
  const child = launch(builtFile("pty-host.js"), args, log);
  try {
    return await waitForAnswer(() => HostClient.connect(socket), child, log, START_TIMEOUT_MS);
  } catch (error) {
    // A host that is only slow must not appear later, when it is no longer wanted.
    child.kill("SIGKILL");
    const full = findFullFolder([folders.runtime, folders.state]);
    if (full !== undefined) throw full;
    throw new UserError(
      `the pty host did not start: ${errorMessage(error)}`,
      ExitCode.unavailable,
      `Its log is ${log}.`,
    );
  }
}

/** Lists ids of terminals without a bridge: it crashed, or its window was closed. */
export async function listWaitingTerminals({ runtime }: WorkspaceFolders): Promise<string[]> {
  try {
    const host = await HostClient.connect(join(runtime, "host.sock"), true);
    host.close();
    return listCountedHostTerminals(host.found).map(({ id }) => id);
  } catch {
    // No host, or an incompatible one.
    return [];
  }
}

/** Ends a host and its terminals. Resolves when its process and its socket are gone. */
export async function endHost(
  host: Pick<HostClient, "welcome" | "shutdown" | "path">,
): Promise<void> {
  const process = recordProcess(host.welcome.pid);
  // Listed before the shutdown: an orphan is found only by its tag, which a program may drop (`env
  // -i`).
  const tree = listProcessTree(host.welcome.pid);
  host.shutdown();
  if (!(await waitForEnd(process, END_MS))) await endProcess(process, END_MS);
  // A killed host could not remove its socket.
  if (!isRunning(process)) rmSync(host.path, { force: true });
  for (const left of tree) if (isRunning(left)) killProcess(left.pid);
}

function isNotListening(error: unknown): boolean {
  const code = findSystemCode(error);
  // ECONNRESET: the host died while its socket still accepted connections.
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}
