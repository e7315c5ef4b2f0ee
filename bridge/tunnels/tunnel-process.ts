// Runs a tunnel program in its own process group, reads its output, and records it on disk, so that a
// later process can end it if this one is killed.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import type { ProcessRecord } from "../processes/process-record.ts";
import { endGroup, recordProcess } from "../processes/process-record.ts";
import { withoutPairptyVariables } from "../processes/launch.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import { readOptionalFile, writePrivateFile } from "../workspace/private-file.ts";
import type { TunnelProcess } from "./tunnel-keeper.ts";

const END_GRACE_MS = 2_000;

const TunnelRecord = z.object({ pid: z.int(), started: z.nullable(z.string()) });

export interface StartedTunnel extends TunnelProcess {
  readonly record: ProcessRecord | undefined;
}

export function startTunnel(
  [program, ...args]: readonly [string, ...string[]],
  folders: Pick<WorkspaceFolders, "folder" | "state">,
): StartedTunnel {
  const child = spawn(program, args, {
    cwd: folders.folder,
    env: withoutPairptyVariables(process.env),
    // Ctrl-C in our window must not reach the tunnel: the shutdown ends it in order.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const record = child.pid === undefined ? undefined : recordProcess(child.pid);
  if (record !== undefined) {
    writePrivateFile(recordPath(folders), `${JSON.stringify(record)}\n`);
  }
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    // `close` comes after the last output.
    child.once("close", (code, signal) => resolve(`it exited with ${signal ?? `code ${code}`}`));
    child.once("exit", (code, signal) => {
      // Children left in its group would hold the pipes and the tunnel.
      killGroup(child.pid);
      void delay(END_GRACE_MS, undefined, { ref: false }).then(() =>
        resolve(`it exited with ${signal ?? `code ${code}`}`),
      );
    });
  });
  return {
    record,
    ended,
    onLine: (listener) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on("line", listener);
      }
    },
    end: async () => {
      if (record !== undefined) await endGroup(record, END_GRACE_MS);
      await ended;
      rmSync(recordPath(folders), { force: true });
    },
  };
}

/** Ends the tunnel that a killed bridge left. */
export async function endRecordedTunnel(folders: Pick<WorkspaceFolders, "state">): Promise<void> {
  const path = recordPath(folders);
  const text = readOptionalFile(path);
  const record = text === undefined ? undefined : parseText(TunnelRecord, text);
  if (record?.ok === true) await endGroup(record.value, END_GRACE_MS);
  if (text !== undefined) rmSync(path, { force: true });
}

function recordPath({ state }: Pick<WorkspaceFolders, "state">): string {
  return join(state, "tunnel.json");
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is already empty.
  }
}
