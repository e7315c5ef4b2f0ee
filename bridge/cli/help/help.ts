// Formats help (description, examples, then usage), and suggests commands for misspelt words.

import { Command, Help } from "commander";
import { ExitCode, UserError } from "../../errors.ts";
import { replaceCommands, replaceExampleCommand, formatCommand } from "../output/command-name.ts";
import type { Example } from "./examples.ts";
import { EXAMPLES } from "./examples.ts";
import { findNearestWord } from "../../config/nearest-word.ts";

/** Headings of the command groups in `pairpty --help`, in this order. */
export const HelpGroup = {
  everyday: "Everyday:",
  agents: "Agents:",
  administration: "Administration:",
} as const;

/** Puts examples first: most people look for one and stop reading there. */
class ExamplesFirst extends Help {
  override formatHelp(command: Command, helper: Help): string {
    const text = command.description();
    const examples = (EXAMPLES[getCommandPath(command)] ?? []).map(([line, does]): Example => [
      replaceExampleCommand(line),
      does,
    ]);
    const grammar = super.formatHelp(command, helper);
    const shown = examples.length === 0 ? "" : `${formatExamples(examples, helper)}\n\n`;
    return `${helper.boxWrap(capitalize(text), helper.helpWidth ?? 80)}\n\n${shown}${grammar}`;
  }

  /** Returns nothing: the description is already above the examples. */
  override commandDescription(): string {
    return "";
  }

  override commandUsage(command: Command): string {
    return replaceExampleCommand(super.commandUsage(command));
  }

  override boxWrap(text: string, width: number): string {
    return super.boxWrap(replaceCommands(text), width);
  }

  override styleTitle(title: string): string {
    return `\u001B[1m${title}\u001B[22m`;
  }
}

/** A command whose help, and whose subcommands' help, puts examples first. */
export class HelpfulCommand extends Command {
  override createCommand(name?: string): HelpfulCommand {
    return new HelpfulCommand(name);
  }

  override createHelp(): Help {
    return Object.assign(new ExamplesFirst(), this.configureHelp());
  }
}

function formatExamples(examples: readonly Example[], helper: Help): string {
  const width = Math.max(...examples.map(([command]) => command.length));
  const wide = width + 6 + Math.max(...examples.map(([, does]) => does.length));
  // Side by side if that fits, else the description goes above.
  const line = ([command, does]: Example) =>
    wide <= (helper.helpWidth ?? 80)
      ? `  ${command.padEnd(width)}  # ${does}`
      : `  # ${does}\n  ${command}`;
  return [helper.styleTitle("Examples:"), ...examples.map(line)].join("\n");
}

/** Returns the command's path, for example `policy check`; empty for the program itself. */
export function getCommandPath(command: Command): string {
  const names: string[] = [];
  for (let one = command; one.parent !== null; one = one.parent) names.unshift(one.name());
  return names.join(" ");
}

/** Prints the help of `pairpty help policy check`. */
export function printHelp(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    // `help` may have been put before a whole command line: ignore its flags.
    if (word.startsWith("-")) break;
    const found = listVisibleCommands(command).find((sub) => sub.name() === word);
    if (found === undefined) throw unknownCommandError(word, command);
    command = found;
  }
  command.outputHelp();
}

/**
 * Returns the error for an unknown command. Commander passes an unknown word to the default command.
 */
export function unknownCommandError(word: string, program: Command): UserError {
  const verbs = listVisibleCommands(program).map((command) => command.name());
  return new UserError(`unknown command "${word}"`, ExitCode.usage, getHint(word, verbs));
}

const HINTS_BY_WORD: Readonly<Record<string, string>> = {
  log: 'Did you mean "audit" (for agents) or "logs" (for pairpty itself)?',
};

function getHint(word: string, verbs: readonly string[]): string {
  if (verbs.includes(word)) return `The command comes first: \`${formatCommand(word)} …\``;
  const now = HINTS_BY_WORD[word];
  if (now !== undefined) return now;
  const meant = findNearestWord(word, verbs);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return `The commands are: ${verbs.join(", ")}.`;
}

/** Rewords commander's error; for a flag of another command, names that command. */
export function formatUsageError(text: string, program: Command): string {
  const message = text
    .replace(/^error: /, "")
    .replace(
      /^command-argument value '(.*)' is invalid for argument '([\w-]+)'\./,
      "$2 '$1' is invalid.",
    );
  const missing = /^missing required argument '([\w-]+)'/.exec(message)?.[1];
  if (missing !== undefined) return `${message.trimEnd()}${formatChoices(missing, program)}\n`;
  const flag = /^unknown option '(--[\w-]+)/.exec(message)?.[1];
  if (flag === undefined || message.includes("Did you mean")) return message;
  const owner = listVisibleCommands(program).find(({ options }) =>
    options.some(({ long }) => long === flag),
  );
  if (owner === undefined) return message;
  return `${message.trimEnd()}\n(it belongs to: ${formatCommand(`${owner.name()} ${flag}`)})\n`;
}

/**
 * Returns the allowed values of an argument, if they are a closed list; no two commands share such an
 * argument.
 */
function formatChoices(argument: string, program: Command): string {
  const choices = listVisibleCommands(program)
    .flatMap(({ registeredArguments }) => registeredArguments)
    .find((one) => one.name() === argument)?.argChoices;
  return choices === undefined ? "" : `. Allowed choices are ${choices.join(", ")}.`;
}

function listVisibleCommands(program: Command): readonly Command[] {
  return program.createHelp().visibleCommands(program);
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
