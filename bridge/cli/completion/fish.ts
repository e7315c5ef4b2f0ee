// Generates the completion script for fish. Pure.

import type { Flag, Grammar, Value, Verb } from "./grammar.ts";

export function fishScript(grammar: Grammar): string {
  const { name, verbs, first, usual, flags } = grammar;
  const here = `__${name}_verb`;
  const lines = [
    `# Completes ${name} in fish. In ~/.config/fish/config.fish: ${name} completion fish | source`,
    // Finds the command of the line so far; without one, the default command.
    `function ${here}
    set -l words (commandline -opc)
    set -l verb ${usual.path}
    if test (count $words) -gt 1; and not string match -q -- '-*' $words[2]
        set verb $words[2]
        if test (count $words) -gt 2; and contains -- "$verb $words[3]" ${nested(verbs)}
            set verb "$verb $words[3]"
        end
    end
    contains -- $verb $argv
end`,
    `function __${name}_first
    test (count (commandline -opc)) -eq 1
end`,
    `complete -c ${name} -f`,
    ...first.map(({ path, description }) =>
      complete(name, `__${name}_first`, `-a ${quoted(path)}`, description),
    ),
    ...flags.map((flag) => flagLine(name, `__${name}_first`, flag)),
    ...verbs.flatMap((verb) => verbLines(name, `${here} ${quoted(verb.path)}`, verb)),
  ];
  return lines.join("\n");
}

function verbLines(program: string, condition: string, verb: Verb): string[] {
  const flags = verb.flags.map((flag) => flagLine(program, condition, flag));
  const inner = verb.verbs.map(({ path, description }) =>
    complete(program, condition, `-a ${quoted(path.split(" ").at(-1) ?? path)}`, description),
  );
  const argument = verb.argument === undefined ? "" : choices(program, verb.argument);
  // An empty argument would complete nothing.
  if (argument === "") return [...flags, ...inner];
  return [...flags, ...inner, complete(program, condition, argument)];
}

function flagLine(program: string, condition: string, { names, description, value }: Flag): string {
  const forms = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const what =
    value === undefined
      ? ""
      : ` ${value.kind === "file" ? "-r -F" : `-x ${choices(program, value)}`}`;
  return complete(program, condition, `${forms.join(" ")}${what}`.trimEnd(), description);
}

function choices(program: string, value: Value): string {
  switch (value.kind) {
    case "words":
      return `-a ${quoted(value.words.join(" "))}`;
    case "ids":
      return `-a ${quoted(`(${program} complete-ids ${value.of} (commandline -ct) 2>/dev/null)`)}`;
    case "folder":
      return `-a ${quoted("(__fish_complete_directories)")}`;
    case "program":
      return `-a ${quoted("(__fish_complete_command)")}`;
    case "file":
      return "-F";
    case "any":
      return "";
  }
}

function complete(program: string, condition: string, what: string, description = ""): string {
  const told = description === "" ? "" : ` -d ${quoted(description)}`;
  return `complete -c ${program} -n ${quoted(condition)} ${what}${told}`;
}

function nested(verbs: readonly Verb[]): string {
  const paths = verbs.filter(({ path }) => path.includes(" ")).map(({ path }) => quoted(path));
  return paths.join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
