// Owns the process of the command line: where it runs, what it answers with, and its exit code.

import { CommanderError } from "commander";
import { config } from "zod/mini";
// Alone: the index has every language, and the build could not tell that one is enough.
import en from "zod/v4/locales/en.js";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { diskProblem } from "../disk.ts";
import { ExitCode, UserError } from "../errors.ts";
import { hideCode } from "./flags/hidden-code.ts";
import { outliveTerminal } from "./output/lost-terminal.ts";
import { explainError, say } from "./output/output.ts";
import { createProgram } from "./program.ts";

/** Ends the process where the verb does not. */
export async function main(): Promise<void> {
  // Schemas answer in sentences; the small build of zod brings none by itself.
  config(en());
  hideCode();
  ignoreDebugSignal();
  outliveTerminal();

  if (process.platform === "win32") {
    say(
      "pairpty does not run on Windows itself yet. It runs in WSL: https://learn.microsoft.com/windows/wsl",
    );
    process.exit(ExitCode.unavailable);
  }

  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed its own sentence; help and version are no mistakes.
      process.exit(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
    }
    const said = diskProblem(error) ?? error;
    explainError(said);
    process.exit(said instanceof UserError ? said.exitCode : ExitCode.fault);
  }
}
