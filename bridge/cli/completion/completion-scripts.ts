// Generates the completion scripts for bash 3.2 and newer, zsh and fish. Pure.

import { singleQuote } from "../../../protocol/formats.ts";
import type {
  CompletionFlag,
  CompletionGrammar,
  CompletionValue,
  CompletionCommand,
} from "./completion.ts";

export function formatBashScript(grammar: CompletionGrammar): string {
  const { name, commands, topLevel, defaultCommand: defaultVerb, flags } = grammar;
  const outer = commands.filter((verb) => verb.subcommands.length > 0);
  const valueCases = commands.flatMap((verb) =>
    verb.flags.filter(takesValue).map((flag) => {
      const patterns = flag.names.map((flagName) => singleQuote(`${verb.path} ${flagName}`));
      return `    ${patterns.join("|")}) ${formatValue(flag.value)} ;;`;
    }),
  );
  const verbCases = commands.map((verb) => {
    const words = verb.subcommands.map(lastWord);
    const argument: CompletionValue | undefined =
      words.length > 0 ? { kind: "words", words } : verb.argument;
    return `    ${singleQuote(verb.path)}) flags=${singleQuote(joinNames(verb.flags))}; ${formatValue(argument)} ;;`;
  });
  return `# Completes ${name} in bash. In ~/.bashrc: eval "$(${name} completion bash)"
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local verb=${defaultVerb.path} flags="" kind="" words=""
  COMPREPLY=()
  # bash takes --role=view apart.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[1]} != -* ]]; then verb=\${COMP_WORDS[1]}; fi
  case "$verb" in
    ${outer.map(({ path }) => singleQuote(path)).join("|")})
      if [[ $COMP_CWORD -gt 2 && \${COMP_WORDS[2]} != -* ]]; then verb="$verb \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$verb" in
${verbCases.join("\n")}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    kind=words
    words=${singleQuote(topLevel.map(({ path }) => path).join(" "))}
    flags="$flags ${joinNames(flags)}"
  fi
  if [[ $cur == -* ]]; then kind=words; words=$flags; fi
  case "$verb $prev" in
${valueCases.join("\n")}
  esac
  case "$kind" in
    words) COMPREPLY=( $(compgen -W "$words" -- "$cur") ) ;;
    ids) COMPREPLY=( $(compgen -W "$(${name} complete-ids "$words" "$cur" 2>/dev/null | cut -f1)" -- "$cur") ) ;;
    folder) local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=( $(compgen -d -- "$cur") ) ;;
    file) local IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=( $(compgen -f -- "$cur") ) ;;
    program) COMPREPLY=( $(compgen -c -- "$cur") ) ;;
  esac
}
complete -F _${name} ${name}`;
}

function takesValue(
  flag: CompletionFlag,
): flag is CompletionFlag & { readonly value: CompletionValue } {
  return flag.value !== undefined;
}

function formatValue(value: CompletionValue | undefined): string {
  if (value === undefined) return 'kind=""';
  if (value.kind === "words") return `kind=words; words=${singleQuote(value.words.join(" "))}`;
  if (value.kind === "ids") return `kind=ids; words=${value.of}`;
  return `kind=${value.kind}`;
}

function joinNames(flags: readonly CompletionFlag[]): string {
  return flags.flatMap((flag) => flag.names).join(" ");
}

function lastWord({ path }: CompletionCommand): string {
  return path.split(" ").at(-1) ?? path;
}

export function formatZshScript(grammar: CompletionGrammar): string {
  const { name, commands, topLevel, defaultCommand, flags } = grammar;
  const outer = commands.filter((verb) => verb.subcommands.length > 0);
  const verbCases = commands.map((verb) => {
    const argumentAction =
      verb.subcommands.length > 0
        ? formatDescribe("command", verb.subcommands.map(formatCommandEntry))
        : formatAction(name, verb.argument);
    return `    (${singleQuote(verb.path)}) flags=(${formatFlagEntries(verb.flags)}); _${name}_behind() { ${argumentAction} } ;;`;
  });
  const valueCases = commands.flatMap((verb) =>
    verb.flags.flatMap(({ names, value }) => {
      if (value === undefined) return [];
      const patterns = names.map((flag) => singleQuote(`${verb.path} ${flag}`)).join("|");
      return [`    (${patterns}) ${formatAction(name, value)}; return ;;`];
    }),
  );
  return `#compdef ${name}
# Completes ${name} in zsh. In ~/.zshrc, behind compinit: eval "$(${name} completion zsh)"
_${name}() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] verb=${defaultCommand.path}
  local -a flags entries
  if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then verb=$words[2]; fi
  case $verb in
    (${outer.map(({ path }) => singleQuote(path)).join("|")})
      if (( CURRENT > 3 )) && [[ $words[3] != -* ]]; then verb="$verb $words[3]"; fi ;;
  esac
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '*='
  fi
  case "$verb $prev" in
${valueCases.join("\n")}
  esac
  _${name}_behind() { : }
  case $verb in
${verbCases.join("\n")}
  esac
  if (( CURRENT == 2 )); then
    flags+=(${formatFlagEntries(flags)})
    _${name}_behind() { ${formatDescribe("command", topLevel.map(formatCommandEntry))} }
  fi
  if [[ $cur == -* ]]; then _describe -o flag flags; else _${name}_behind; fi
  unfunction _${name}_behind
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;
}

function formatAction(program: string, value: CompletionValue | undefined): string {
  if (value === undefined) return ":";
  switch (value.kind) {
    case "words":
      return `compadd -- ${value.words.map(singleQuote).join(" ")}`;
    case "ids":
      return `entries=("\${(@f)$(${program} complete-ids ${value.of} "$cur" 2>/dev/null)}"); entries=(\${entries//$'\\t'/:}); _describe id entries`;
    case "folder":
      return "_files -/";
    case "file":
      return "_files";
    case "program":
      return "_command_names -e";
    case "any":
      return ":";
  }
}

function formatDescribe(what: string, all: readonly string[]): string {
  return `entries=(${all.join(" ")}); _describe ${what} entries;`;
}

function formatCommandEntry({ path, description }: CompletionCommand): string {
  return singleQuote(`${path.split(" ").at(-1) ?? path}:${description}`);
}

function formatFlagEntries(flags: readonly CompletionFlag[]): string {
  return flags
    .flatMap(({ names, description }) => names.map((name) => singleQuote(`${name}:${description}`)))
    .join(" ");
}

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
      formatComplete(name, `__${name}_first`, `-a ${quoteForFish(path)}`, description),
    ),
    ...flags.map((flag) => formatFlag(name, `__${name}_first`, flag)),
    ...commands.flatMap((verb) => formatCommand(name, `${here} ${quoteForFish(verb.path)}`, verb)),
  ];
  return lines.join("\n");
}

function formatCommand(program: string, condition: string, verb: CompletionCommand): string[] {
  const flags = verb.flags.map((flag) => formatFlag(program, condition, flag));
  const inner = verb.subcommands.map(({ path, description }) =>
    formatComplete(
      program,
      condition,
      `-a ${quoteForFish(path.split(" ").at(-1) ?? path)}`,
      description,
    ),
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
      return `-a ${quoteForFish(value.words.join(" "))}`;
    case "ids":
      return `-a ${quoteForFish(`(${program} complete-ids ${value.of} (commandline -ct) 2>/dev/null)`)}`;
    case "folder":
      return `-a ${quoteForFish("(__fish_complete_directories)")}`;
    case "program":
      return `-a ${quoteForFish("(__fish_complete_command)")}`;
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
  const descriptionFlag = description === "" ? "" : ` -d ${quoteForFish(description)}`;
  return `complete -c ${program} -n ${quoteForFish(condition)} ${what}${descriptionFlag}`;
}

function joinNestedPaths(verbs: readonly CompletionCommand[]): string {
  const paths = verbs
    .filter(({ path }) => path.includes(" "))
    .map(({ path }) => quoteForFish(path));
  return paths.join(" ");
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
