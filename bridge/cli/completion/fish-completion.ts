// Generates the completion script for fish. Pure.

import type {
  CompletionFlag,
  CompletionGrammar,
  CompletionValue,
  CompletionCommand,
} from "./completion-grammar.ts";

export function formatFishScript(grammar: CompletionGrammar): string {
  const { name, commands, topLevel, defaultCommand, flags } = grammar;
  const here = `__${name}_verb`;
  const lines = [
    `# Completes ${name} in fish. In ~/.config/fish/config.fish: ${name} completion fish | source`,
    // Finds the command of the line so far; without one, the default command.
    `function ${here}
    set -l words (commandline -opc)
    set -l verb ${defaultCommand.path}
    if test (count $words) -gt 1; and not string match -q -- '-*' $words[2]
        set verb $words[2]
        if test (count $words) -gt 2; and contains -- "$verb $words[3]" ${joinNestedPaths(commands)}
            set verb "$verb $words[3]"
        end
    end
    contains -- $verb $argv
end`,
    `function __${name}_first
    test (count (commandline -opc)) -eq 1
end`,
    `complete -c ${name} -f`,
    ...topLevel.map(({ path, description }) =>
      formatComplete(name, `__${name}_first`, `-a ${quote(path)}`, description),
    ),
    ...flags.map((flag) => formatFlag(name, `__${name}_first`, flag)),
    ...commands.flatMap((verb) => formatCommand(name, `${here} ${quote(verb.path)}`, verb)),
  ];
  return lines.join("\n");
}

function formatCommand(program: string, condition: string, verb: CompletionCommand): string[] {
  const flags = verb.flags.map((flag) => formatFlag(program, condition, flag));
  const inner = verb.subcommands.map(({ path, description }) =>
    formatComplete(program, condition, `-a ${quote(path.split(" ").at(-1) ?? path)}`, description),
  );
  const argument = verb.argument === undefined ? "" : formatChoices(program, verb.argument);
  // An empty argument would complete nothing.
  if (argument === "") return [...flags, ...inner];
  return [...flags, ...inner, formatComplete(program, condition, argument)];
}

function formatFlag(
  program: string,
  condition: string,
  { names, description, value }: CompletionFlag,
): string {
  const forms = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const what =
    value === undefined
      ? ""
      : ` ${value.kind === "file" ? "-r -F" : `-x ${formatChoices(program, value)}`}`;
  return formatComplete(program, condition, `${forms.join(" ")}${what}`.trimEnd(), description);
}

function formatChoices(program: string, value: CompletionValue): string {
  switch (value.kind) {
    case "words":
      return `-a ${quote(value.words.join(" "))}`;
    case "ids":
      return `-a ${quote(`(${program} complete-ids ${value.of} (commandline -ct) 2>/dev/null)`)}`;
    case "folder":
      return `-a ${quote("(__fish_complete_directories)")}`;
    case "program":
      return `-a ${quote("(__fish_complete_command)")}`;
    case "file":
      return "-F";
    case "any":
      return "";
  }
}

function formatComplete(
  program: string,
  condition: string,
  what: string,
  description = "",
): string {
  const descriptionFlag = description === "" ? "" : ` -d ${quote(description)}`;
  return `complete -c ${program} -n ${quote(condition)} ${what}${descriptionFlag}`;
}

function joinNestedPaths(verbs: readonly CompletionCommand[]): string {
  const paths = verbs.filter(({ path }) => path.includes(" ")).map(({ path }) => quote(path));
  return paths.join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
