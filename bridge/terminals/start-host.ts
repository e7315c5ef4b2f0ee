// Owns finding or starting the pty host of a workspace. Also owns the list of pty hosts that a
// workspace has had.

import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { builtFile } from "../build-info.ts";
import { ExitCode, errorMessage, findSystemCode, UserError } from "../errors.ts";
import { getLogFile } from "../logs/log-paths.ts";
import { launch, waitForAnswer } from "../processes/launch.ts";
import { endProcess, waitForEnd, isRunning, recordProcess } from "../processes/process-record.ts";
import { findFullFolder } from "../resource-errors.ts";
import { PROCESS_TAG_ENV, sweepInstance } from "../sweep.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { readOptionalFile, updatePrivateFile } from "../workspace/private-file.ts";
import { killProcess, listProcessTree } from "./end-tree.ts";
import { HostClient } from "./host-client.ts";
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

// A killed host cannot end its terminals' processes, and only it knew their tag: the record lets
// the next start end them.

const HostRecord = z.object({
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  pid: z.int(),
  started: z.nullable(z.string()),
});
type HostRecord = z.infer<typeof HostRecord>;

const HostsFile = z.object({ version: z.literal(1), hosts: z.array(HostRecord) });

/**
 * Records the host before it starts anything, and ends processes of dead hosts of this workspace.
 * Spares those of a living host, even an unreachable one, and those we run in.
 */
export function recordHost(
  stateFolder: string,
  { instance, pid }: { readonly instance: string; readonly pid: number },
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const others = readRecords(stateFolder).filter((other) => other.instance !== instance);
  const current = { instance, ...recordProcess(pid) };
  writeRecords(stateFolder, [...others, current]);
  sweepDeadHosts(stateFolder, environment);
}

/** Ends processes with the tag of a dead host of this workspace, and removes its record. */
export function sweepDeadHosts(
  stateFolder: string,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const hosts = readRecords(stateFolder);
  const kept = hosts.filter(
    (host) =>
      isRunning(host) || environment[PROCESS_TAG_ENV]?.endsWith(`@${host.instance}`) === true,
  );
  if (kept.length === hosts.length) return;
  for (const host of hosts) if (!kept.includes(host)) sweepInstance(host.instance);
  writeRecords(stateFolder, kept);
}

/** Removes the record of a host that has ended with all its processes. */
export function forgetHost(stateFolder: string, instance: string): void {
  const hosts = readRecords(stateFolder);
  const others = hosts.filter((other) => other.instance !== instance);
  if (others.length < hosts.length) writeRecords(stateFolder, others);
}

function readRecords(stateFolder: string): HostRecord[] {
  const text = readOptionalFile(getRecordsPath(stateFolder));
  const parsed = text === undefined ? undefined : parseText(HostsFile, text);
  return parsed?.ok === true ? parsed.value.hosts : [];
}

function writeRecords(stateFolder: string, hosts: readonly HostRecord[]): void {
  updatePrivateFile(getRecordsPath(stateFolder), `${JSON.stringify({ version: 1, hosts })}\n`);
}

function getRecordsPath(stateFolder: string): string {
  return join(stateFolder, "pty-hosts.json");
}
