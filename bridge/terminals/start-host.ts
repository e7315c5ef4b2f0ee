// Owns finding the pty host of a workspace, or starting one.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { fullFolder } from "../disk.ts";
import { ExitCode, messageOf, systemCode, UserError } from "../errors.ts";
import { builtFile } from "../built-file.ts";
import { launch, waitFor } from "../processes/launch.ts";
import { logFile } from "../logs/places.ts";
import { endProcess, ended, isRunning, recordProcess } from "../processes/record.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { kill, treeOf } from "./ending.ts";
import { HostClient } from "./host-client.ts";
import { recordHost } from "./host-records.ts";
import { countedIn } from "./terminal.ts";

const START_TIMEOUT_MS = 15_000;
/** Its terminals get 2 s to end by themselves. */
const END_MS = 6_000;

/** What dead hosts of this workspace left behind is ended by the way. */
export async function openHost(folders: WorkspaceFolders, graceMs: number): Promise<HostClient> {
  const host = await findHost(folders, graceMs);
  recordHost(folders.state, host.welcome);
  return host;
}

async function findHost(folders: WorkspaceFolders, graceMs: number): Promise<HostClient> {
  const socket = join(folders.runtime, "host.sock");
  const living = await HostClient.connect(socket).catch((error: unknown) => {
    if (isNobody(error)) return undefined;
    // Somebody is there who cannot be spoken with: an older host keeps its terminals.
    throw new UserError(
      `this folder's pty host is running, but pairpty cannot use it: ${messageOf(error)}`,
      ExitCode.unavailable,
      "Stop the pairpty that started it, or end that host; its terminals end with it.",
    );
  });
  if (living !== undefined) return living;
  const log = logFile(folders.state, "host");
  const args = ["--socket", socket, "--grace-ms", String(graceMs), "--log", log];
  const child = launch(builtFile("pty-host.js"), args, log);
  try {
    return await waitFor(() => HostClient.connect(socket), child, log, START_TIMEOUT_MS);
  } catch (error) {
    // One that is only slow must not be there later, when nobody asks for it.
    child.kill("SIGKILL");
    const full = fullFolder([folders.runtime, folders.state]);
    if (full !== undefined) throw full;
    throw new UserError(
      `the pty host did not start: ${messageOf(error)}`,
      ExitCode.unavailable,
      `Its log is ${log}.`,
    );
  }
}

/** Ids of terminals that wait for a bridge: one crashed, or its window was closed. */
export async function waitingTerminals({ runtime }: WorkspaceFolders): Promise<string[]> {
  try {
    const host = await HostClient.connect(join(runtime, "host.sock"), true);
    host.close();
    return countedIn(host.found).map(({ id }) => id);
  } catch {
    // Nobody is there, or nobody who can be asked.
    return [];
  }
}

/** Ends a host and its terminals. Resolves when its process is gone, and its socket. */
export async function endHost(
  host: Pick<HostClient, "welcome" | "shutdown" | "path">,
): Promise<void> {
  const process = recordProcess(host.welcome.pid);
  // Now: who has lost a parent is found by the mark alone, and a program may drop that (`env -i`).
  const tree = treeOf(host.welcome.pid);
  host.shutdown();
  if (!(await ended(process, END_MS))) await endProcess(process, END_MS);
  // One that was killed had no time to remove it.
  if (!isRunning(process)) rmSync(host.path, { force: true });
  for (const left of tree) if (isRunning(left)) kill(left.pid);
}

function isNobody(error: unknown): boolean {
  const code = systemCode(error);
  // Reset: it died while its socket still took connections.
  return code === "ENOENT" || code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}
