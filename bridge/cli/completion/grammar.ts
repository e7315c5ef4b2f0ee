// Derives from the commander program what can be completed where. Independent of the shell.

import type { Command, Option } from "commander";
import { SETTINGS } from "../../config/schema.ts";
import type { IdKind } from "../verbs/id-kinds.ts";
import { pathOf } from "../help/help.ts";

/** The possible values at a position. Ids are requested from the running bridge on Tab. */
export type Value =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "ids"; readonly of: IdKind }
  | { readonly kind: "folder" | "file" | "program" | "any" };

export interface Flag {
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for a boolean flag. */
  readonly value: Value | undefined;
}

export interface Verb {
  /** For example `policy check`; the program itself has none. */
  readonly path: string;
  readonly description: string;
  readonly flags: readonly Flag[];
  /** The command's argument, if any. */
  readonly argument: Value | undefined;
  readonly verbs: readonly Verb[];
}

export interface Grammar {
  readonly name: string;
  /** All commands, including nested ones. */
  readonly verbs: readonly Verb[];
  /** Top-level commands. */
  readonly first: readonly Verb[];
  /** The command that runs if none is given. */
  readonly usual: Verb;
  /** Flags of the program itself: help and version. */
  readonly flags: readonly Flag[];
}

/** Commands whose argument is an id that the bridge knows. */
const IDS: Readonly<Record<string, IdKind>> = {
  approvals: "approvals",
  approve: "approvals",
  deny: "approvals",
  revoke: "grants",
  attach: "terminals",
  close: "terminals",
  record: "terminals",
};

export function grammarOf(program: Command): Grammar {
  const first = subcommands(program).map(toVerb);
  const usual = first.find(({ path }) => path === "start");
  if (usual === undefined) throw new Error("the program has no start");
  const verbs = first.flatMap((verb) => [verb, ...verb.verbs]);
  return { name: program.name(), verbs, first, usual, flags: flagsOf(program) };
}

function toVerb(command: Command): Verb {
  return {
    path: pathOf(command),
    description: command.description(),
    flags: flagsOf(command),
    argument: argumentOf(command),
    verbs: subcommands(command).map(toVerb),
  };
}

function subcommands(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function flagsOf(command: Command): Flag[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: valueOf(option),
    }));
}

function valueOf(option: Option): Value | undefined {
  if (!option.required && !option.optional) return undefined;
  if (option.argChoices !== undefined) return { kind: "words", words: option.argChoices };
  return byName(/[<[]([\w-]+)/.exec(option.flags)?.[1] ?? "");
}

function argumentOf(command: Command): Value | undefined {
  const ids = IDS[command.name()];
  if (ids !== undefined) return { kind: "ids", of: ids };
  if (command.name() === "help" && command.parent !== null) {
    return { kind: "words", words: subcommands(command.parent).map((verb) => verb.name()) };
  }
  const [argument] = command.registeredArguments;
  if (argument === undefined) return undefined;
  if (argument.argChoices !== undefined) return { kind: "words", words: argument.argChoices };
  if (argument.name() === "key") return { kind: "words", words: SETTINGS.map(({ key }) => key) };
  return byName(argument.name());
}

/** Returns the kind of value by its placeholder: `--cwd <folder>`. */
function byName(name: string): Value {
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
