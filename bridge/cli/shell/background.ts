// Owns starting a bridge that stays in the background, for `pairpty shell` in a folder that has none.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../../doors/control/client.ts";
import { ExitCode, messageOf, UserError } from "../../errors.ts";
import { builtFile } from "../../built-file.ts";
import { launch, waitFor } from "../../processes/launch.ts";
import type { WorkspaceFolders } from "../../workspace/folders.ts";

const START_MS = 30_000;

/** Resolves when it answers, linked or not; rejects with its own last words. */
export async function startInBackground(folders: WorkspaceFolders): Promise<void> {
  const words = join(folders.runtime, "background.log");
  rmSync(words, { force: true });
  const args = ["start", "--background", "--cwd", folders.folder];
  const child = launch(builtFile("cli.js"), args, words, process.env);
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
  } catch (error) {
    throw new UserError(
      `could not start a bridge here: ${messageOf(error)}`,
      ExitCode.unavailable,
      "Run `pairpty` to see more, or `pairpty doctor` to find out why.",
    );
  }
}
