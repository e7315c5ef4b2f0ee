// Runs the command line: sets up the process, parses the arguments, prints errors, sets the exit
// code. Defines the program as a whole: name, help, errors. The commands are in grammar/, one file
// per group of the help.

import { closeSync, fstatSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { isatty } from "node:tty";
import type { Command } from "commander";
import { CommanderError, Option } from "commander";
import { config } from "zod/mini";
// Imported alone: zod's index has every language, and the build could not drop the others.
import en from "zod/v4/locales/en.js";
import { VERSION } from "../build-info.ts";
import { ignoreDebugSignal } from "../debug-signal.ts";
import { ExitCode, UserError } from "../errors.ts";
import { toDiskError } from "../resource-errors.ts";
import { addAdministrationCommands } from "./grammar/administration-commands.ts";
import { addAgentCommands } from "./grammar/agent-commands.ts";
import { addEverydayCommands, addStartCommand } from "./grammar/everyday-commands.ts";
import { HelpGroup, HelpfulCommand, formatUsageError, getCommandPath } from "./help/help.ts";
import { replaceCommands } from "./output/command-name.ts";
import {
  printError,
  printNote,
  printUsageError,
  printLine,
  printWrapped,
} from "./output/output.ts";

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

const EXIT_CODES_HELP = `
\`pairpty help <command>\` lists a command's flags. The flags of start also work without a command.

Exit codes:
  ${ExitCode.ok}  done, or stopped on request
  ${ExitCode.fault}  a bug in pairpty
  ${ExitCode.usage}  wrong usage
  ${ExitCode.noBridge}  pairpty is not running in this folder or above it
  ${ExitCode.refused}  the relay refused this bridge
  ${ExitCode.unavailable}  the relay, the pty host, a port or disk space is not available
  ${ExitCode.agent}  a coding agent could not be started, died, or did not finish its turn
  129  window closed: terminals and relay wait 10 minutes for the next pairpty (--grace)`;

export function createProgram(): Command {
  const program = new HelpfulCommand("pairpty")
    .description("Your real terminals in a room, shared with teammates and agents")
    .version(VERSION, "-v, --version", "print the version")
    .addOption(new Option("-V", "print the version").hideHelp())
    .on("option:V", () => {
      printLine(VERSION);
      throw new CommanderError(ExitCode.ok, "commander.version", VERSION);
    })
    .helpOption("-h, --help", "print this")
    .enablePositionalOptions()
    .addHelpText("after", EXIT_CODES_HELP)
    .helpCommand(false)
    .configureOutput({
      outputError: (text) => printUsageError(formatUsageError(text, program)),
      writeOut: (text) => process.stdout.write(replaceCommands(text)),
      writeErr: (text) => printWrapped(text.trimEnd()),
    })
    .exitOverride();
  program.commandsGroup(HelpGroup.everyday);
  addStartCommand(program);
  addEverydayCommands(program);
  addAgentCommands(program);
  addAdministrationCommands(program);
  pointToHelp(program);
  return program;
}

/** Adds a pointer to the help after every usage error. */
function pointToHelp(command: Command): void {
  const words = ["pairpty", "help", getCommandPath(command)].filter(Boolean).join(" ");
  command.showHelpAfterError(`      \`${words}\` lists the options.`);
  for (const sub of command.commands) pointToHelp(sub);
}

// Removes the number of `--code` from this process's command line, which other processes can read.
// It is visible until Node has started; `--code` alone, which asks, never shows it.

/** Replaces the process title, which is its command line, if it contains a code. */
export function hideCode(args: readonly string[] = process.argv): void {
  if (args.some((arg) => arg === "--code" || arg.startsWith("--code="))) process.title = "pairpty";
}

// On exit Node restores the modes of its original terminals and aborts if that fails with EIO (seen
// with Node 20); descriptors replaced by another file are skipped.

const STANDARD_DESCRIPTORS = [0, 1, 2] as const;

/** Registers the cleanup for every exit of this process. */
export function surviveTerminalLoss(): void {
  process.on("exit", () => STANDARD_DESCRIPTORS.filter(isLost).forEach(replaceByNull));
}

/** Whether the descriptor is a hung-up terminal: a device that is no longer a TTY. */
function isLost(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && !isatty(descriptor);
  } catch {
    // Already closed.
    return false;
  }
}

/** Replaces the descriptor by /dev/null: open returns the lowest free number, which was just closed. */
function replaceByNull(descriptor: number): void {
  closeSync(descriptor);
  openSync(devNull, "r+");
}
