// Owns which pty hosts a workspace has had. A host that was killed cannot end what its terminals
// left behind, and nobody else knows its mark: it is written down here, and the next start ends it.

import { join } from "node:path";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import { isRunning, recordProcess } from "../processes/record.ts";
import { readOptionalFile, updatePrivateFile } from "../workspace/private-file.ts";
import { MARK } from "../mark.ts";
import { sweepInstance } from "../sweep.ts";

const HostRecord = z.object({
  instance: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  pid: z.int(),
  started: z.nullable(z.string()),
});
type HostRecord = z.infer<typeof HostRecord>;

const HostsFile = z.object({ version: z.literal(1), hosts: z.array(HostRecord) });

/**
 * Before `host` starts anything. What carries the mark of a dead host of this workspace is ended;
 * nothing of a living one, though it may not be reached, and nothing that we run in ourselves.
 */
export function recordHost(
  stateFolder: string,
  { instance, pid }: { readonly instance: string; readonly pid: number },
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const others = read(stateFolder).filter((other) => other.instance !== instance);
  const current = { instance, ...recordProcess(pid) };
  write(stateFolder, [...others, current]);
  sweepDeadHosts(stateFolder, environment);
}

/** Ends what carries the mark of a dead host of this workspace, and forgets the host. */
export function sweepDeadHosts(
  stateFolder: string,
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const hosts = read(stateFolder);
  const kept = hosts.filter(
    (host) => isRunning(host) || environment[MARK]?.endsWith(`@${host.instance}`) === true,
  );
  if (kept.length === hosts.length) return;
  for (const host of hosts) if (!kept.includes(host)) sweepInstance(host.instance);
  write(stateFolder, kept);
}

/** It has ended, and nothing is left of it. */
export function forgetHost(stateFolder: string, instance: string): void {
  const hosts = read(stateFolder);
  const others = hosts.filter((other) => other.instance !== instance);
  if (others.length < hosts.length) write(stateFolder, others);
}

function read(stateFolder: string): HostRecord[] {
  const text = readOptionalFile(fileIn(stateFolder));
  const parsed = text === undefined ? undefined : parseText(HostsFile, text);
  return parsed?.ok === true ? parsed.value.hosts : [];
}

function write(stateFolder: string, hosts: readonly HostRecord[]): void {
  updatePrivateFile(fileIn(stateFolder), `${JSON.stringify({ version: 1, hosts })}\n`);
}

function fileIn(stateFolder: string): string {
  return join(stateFolder, "pty-hosts.json");
}
