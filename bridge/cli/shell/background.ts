// Owns starting a bridge that stays in the background, for `pairpty shell` in a folder that has none.

import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as z from "zod/mini";
import { parseText } from "../../../protocol/json.ts";
import { ask } from "../../doors/control/client.ts";
import { ExitCode, messageOf, UserError } from "../../errors.ts";
import { builtFile } from "../../built-file.ts";
import { launch, waitFor } from "../../processes/launch.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";
import { printJson } from "../output/output.ts";

const START_MS = 30_000;

/** What it prints before it lets go of the window that started it. */
const FirstWords = z.object({ code: z.string() });

/** By its own output: at no socket, where an agent's code could ask for it. */
export function tellStarter(code: string): void {
  printJson({ code });
}

/**
 * Resolves with its code when it answers, linked or not; rejects with its own last words.
 * Undefined: another one was quicker, whose code is in its own window.
 */
export async function startInBackground(folders: WorkspaceFolders): Promise<string | undefined> {
  const words = join(folders.runtime, "background.log");
  rmSync(words, { force: true });
  const args = ["start", "--background", "--cwd", folders.folder];
  const child = launch(builtFile("cli.js"), args, words, process.env, "pipe");
  const code = firstWords(child);
  const socket = join(folders.runtime, "bridge.sock");
  try {
    await waitFor(
      async () => {
        if ((await ask(socket, { verb: "terminals" })) === undefined) throw new Error("not yet");
      },
      child,
      words,
      START_MS,
    );
    return await code;
  } catch (error) {
    throw new UserError(
      `could not start a bridge here: ${messageOf(error)}`,
      ExitCode.unavailable,
      "Run `pairpty` to see more, or `pairpty doctor` to find out why.",
    );
  } finally {
    child.stdout?.destroy();
  }
}

/** The line comes before it serves its socket: whoever was answered has it. */
async function firstWords({ stdout }: ChildProcess): Promise<string | undefined> {
  if (stdout === null) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const parsed = parseText(FirstWords, line);
    return parsed.ok ? parsed.value.code : undefined;
  }
  return undefined;
}
