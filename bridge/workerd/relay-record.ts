// Owns the record of a relay's processes, so that a later process can end one that hangs or whose
// parent was killed: workerd outlives its parent and keeps the port.

import { rmSync } from "node:fs";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import type { ProcessRecord } from "../processes/process-record.ts";
import { endProcess, recordProcess } from "../processes/process-record.ts";
import { readOptionalFile, writePrivateFile } from "../workspace/private-file.ts";

const RelayRecord = z.object({
  port: z.int(),
  /** The supervisor, then workerd. */
  processes: z.array(z.object({ pid: z.int(), started: z.nullable(z.string()) })),
});
type RelayRecord = z.infer<typeof RelayRecord>;

const END_GRACE_MS = 2_000;

/** Writes the record of this process and the workerd that it started. */
export function writeRelayRecord(path: string, port: number, workerd: ProcessRecord): void {
  const record: RelayRecord = { port, processes: [recordProcess(process.pid), workerd] };
  writePrivateFile(path, `${JSON.stringify(record)}\n`);
}

export function readRelayRecord(path: string): readonly ProcessRecord[] {
  const text = readOptionalFile(path);
  const record = text === undefined ? undefined : parseText(RelayRecord, text);
  return record?.ok === true ? record.value.processes : [];
}

/** Ends those of the recorded processes that still run; returns false if nothing was recorded. */
export async function endRecordedProcesses(path: string): Promise<boolean> {
  const recorded = readRelayRecord(path);
  await Promise.all(recorded.map((record) => endProcess(record, END_GRACE_MS)));
  rmSync(path, { force: true });
  return recorded.length > 0;
}
