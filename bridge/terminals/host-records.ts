// Owns the list of pty hosts that a workspace has had. A killed host cannot end its terminals'
// processes, and only it knew their tag: the record lets the next start end them.

import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { isRunning, recordProcess } from "../processes/process-record.ts";
import { readOptionalFile, updatePrivateFile } from "../workspace/private-file.ts";
import { PROCESS_TAG_ENV, sweepInstance } from "../sweep.ts";

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
