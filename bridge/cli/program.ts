// Defines the command line as a whole: name, help, errors. The commands are in grammar/, one file per
// group of the help.

import type { Command } from "commander";
import { CommanderError, Option } from "commander";
import { ExitCode } from "../errors.ts";
import { VERSION } from "../build-info.ts";
import { HelpGroup, HelpfulCommand, formatUsageError, getCommandPath } from "./help/help.ts";
import { replaceCommands } from "./output/command-name.ts";
import { printUsageError, printLine, printWrapped } from "./output/output.ts";
import { addAdministrationCommands } from "./grammar/administration-commands.ts";
import { addAgentCommands } from "./grammar/agent-commands.ts";
import { addEverydayCommands } from "./grammar/everyday-commands.ts";
import { addStartCommand } from "./grammar/start-command.ts";

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
