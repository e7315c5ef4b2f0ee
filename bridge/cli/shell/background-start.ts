// Starts a background bridge, for `pairpty shell` in a folder without one. Ends a background bridge
// that has had no terminal and no visitor for a while.

import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { builtFile } from "../../build-info.ts";
import { requestBridge } from "../../doors/control/control-client.ts";
import { ExitCode, errorMessage, UserError } from "../../errors.ts";
import { launch, waitForAnswer } from "../../processes/launch.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { printJson } from "../output/output.ts";

const START_TIMEOUT_MS = 30_000;

/** The first line that the background bridge prints. */
const StarterLine = z.object({ code: z.string() });

/** Prints the code for the starter: not at a socket, where an agent's code could request it. */
export function printCodeForStarter(code: string): void {
  printJson({ code });
}

/**
 * Starts the bridge. Resolves with its code once it answers, linked or not; rejects with its last
 * output. Undefined if another start was quicker.
 */
export async function startInBackground(folders: WorkspaceFolders): Promise<string | undefined> {
  const outputFile = join(folders.runtime, "background.log");
  rmSync(outputFile, { force: true });
  const args = ["start", "--background", "--cwd", folders.folder];
  const child = launch(builtFile("cli.js"), args, outputFile, process.env, "pipe");
  const code = readCode(child);
  const socket = join(folders.runtime, "bridge.sock");
  try {
    await waitForAnswer(
      async () => {
        if ((await requestBridge(socket, { verb: "terminals" })) === undefined)
          throw new Error("not yet");
      },
      child,
      outputFile,
      START_TIMEOUT_MS,
    );
    return await code;
  } catch (error) {
    throw new UserError(
      `could not start a bridge here: ${errorMessage(error)}`,
      ExitCode.unavailable,
      "Run `pairpty` to see the error, or `pairpty doctor` to check this machine.",
    );
  } finally {
    child.stdout?.destroy();
  }
}

/** Returns the code from the first line, which comes before the bridge serves its socket. */
async function readCode({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const parsed = parseText(StarterLine, line);
    return parsed.ok ? parsed.value.code : undefined;
  }
  return undefined;
}

const POLL_MS = 10_000;

export function endWhenIdle(run: BridgeRun, afterMs: number, end: () => void): void {
  let idleSince: number | undefined;
  const timer = setInterval(
    () => {
      const isIdle = run.pool.running().length === 0 && run.people.length === 0;
      if (!isIdle) idleSince = undefined;
      else idleSince ??= Date.now();
      if (idleSince === undefined || Date.now() - idleSince < afterMs) return;
      clearInterval(timer);
      end();
    },
    Math.min(POLL_MS, afterMs),
  );
  timer.unref();
}
