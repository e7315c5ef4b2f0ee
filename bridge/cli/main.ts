// Runs the command line: sets up the process, parses the arguments, prints errors, sets the exit code.

import { CommanderError } from "commander";
import { config } from "zod/mini";
// Imported alone: zod's index has every language, and the build could not drop the others.
import en from "zod/v4/locales/en.js";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { toDiskError } from "../resource-errors.ts";
import { ExitCode, UserError } from "../errors.ts";
import { hideCode } from "./flags/hidden-code.ts";
import { surviveTerminalLoss } from "./output/terminal-loss.ts";
import { printError, printNote } from "./output/output.ts";
import { createProgram } from "./program.ts";

/** Runs the command; exits on errors. */
export async function main(): Promise<void> {
  // zod/mini has no error messages of its own.
  config(en());
  hideCode();
  ignoreDebugSignal();
  surviveTerminalLoss();

  if (process.platform === "win32") {
    printNote(
      "pairpty does not run on Windows yet; use WSL: https://learn.microsoft.com/windows/wsl",
    );
    process.exit(ExitCode.unavailable);
  }

  try {
    await createProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the message; help and version are not errors.
      process.exit(error.exitCode === 0 ? ExitCode.ok : ExitCode.usage);
    }
    const shownError = toDiskError(error) ?? error;
    printError(shownError);
    process.exit(shownError instanceof UserError ? shownError.exitCode : ExitCode.fault);
  }
}
