// Owns `pairpty completion <shell>`: generates the script from the running program. Derives from
// the commander program what can be completed where. Independent of the shell.

import type { Command, Option } from "commander";
import { SETTINGS } from "../../config/schema.ts";
import type { SHELLS, IdKind } from "../flags/parse-arguments.ts";
import { getCommandPath } from "../help/help.ts";
import { printLine } from "../output/output.ts";
import { formatBashScript, formatZshScript, formatFishScript } from "./completion-scripts.ts";

export type ShellName = (typeof SHELLS)[number];

export function printCompletion(program: Command, shell: ShellName): void {
  const grammar = toGrammar(program);
  const scripts = { bash: formatBashScript, zsh: formatZshScript, fish: formatFishScript };
  printLine(scripts[shell](grammar));
}

/** The possible values at a position. Ids are requested from the running bridge on Tab. */
export type CompletionValue =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "ids"; readonly of: IdKind }
  | { readonly kind: "folder" | "file" | "program" | "any" };

export interface CompletionFlag {
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for a boolean flag. */
  readonly value: CompletionValue | undefined;
}

export interface CompletionCommand {
  /** For example `policy check`; undefined for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly CompletionFlag[];
  /** The command's argument, if any. */
  readonly argument: CompletionValue | undefined;
  readonly subcommands: readonly CompletionCommand[];
}

export interface CompletionGrammar {
  readonly name: string;
  /** All commands, including nested ones. */
  readonly commands: readonly CompletionCommand[];
  /** Top-level commands. */
  readonly topLevel: readonly CompletionCommand[];
  /** The command that runs if the user names none. */
  readonly defaultCommand: CompletionCommand;
  /** Flags of the program itself: help and version. */
  readonly flags: readonly CompletionFlag[];
}

/** Commands whose argument is an id that the bridge knows. */
const ID_KIND_BY_COMMAND: Readonly<Record<string, IdKind>> = {
  approvals: "approvals",
  approve: "approvals",
  deny: "approvals",
  revoke: "grants",
  attach: "terminals",
  close: "terminals",
  record: "terminals",
};

export function toGrammar(program: Command): CompletionGrammar {
  const first = listVisibleCommands(program).map(toCompletionCommand);
  const usual = first.find(({ path }) => path === "start");
  if (usual === undefined) throw new Error("the program has no start");
  const verbs = first.flatMap((verb) => [verb, ...verb.subcommands]);
  return {
    name: program.name(),
    commands: verbs,
    topLevel: first,
    defaultCommand: usual,
    flags: listFlags(program),
  };
}

function toCompletionCommand(command: Command): CompletionCommand {
  return {
    path: getCommandPath(command),
    description: command.description(),
    flags: listFlags(command),
    argument: toArgumentValue(command),
    subcommands: listVisibleCommands(command).map(toCompletionCommand),
  };
}

function listVisibleCommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function listFlags(command: Command): CompletionFlag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: toFlagValue(option),
    }));
}

function toFlagValue(option: Option): CompletionValue | undefined {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices !== undefined) return { kind: "words", words: option.argChoices };
  return toValueByName(/[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "");
}

function toArgumentValue(command: Command): CompletionValue | undefined {
  const ids = ID_KIND_BY_COMMAND[command.name()];
  if (ids !== undefined) return { kind: "ids", of: ids };
  if (command.name() === "help" && command.parent !== null) {
    return { kind: "words", words: listVisibleCommands(command.parent).map((verb) => verb.name()) };
  }
  const [argument] = command.registeredArguments;
  if (argument === undefined) return undefined;
  if (argument.argChoices !== undefined) return { kind: "words", words: argument.argChoices };
  if (argument.name() === "key") return { kind: "words", words: SETTINGS.map(({ key }) => key) };
  return toValueByName(argument.name());
}

/** Returns the kind of value by its placeholder: `--cwd <folder>`. */
function toValueByName(name: string): CompletionValue {
  switch (name) {
    case "folder":
    case "file":
    case "program":
      return { kind: name };
    case "command":
      return { kind: "program" };
    case "rule":
      return { kind: "ids", of: "rules" };
    default:
      return { kind: "any" };
  }
}
