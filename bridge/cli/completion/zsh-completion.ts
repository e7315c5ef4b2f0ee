// Generates the completion script for zsh. Pure.

import type {
  CompletionFlag,
  CompletionGrammar,
  CompletionValue,
  CompletionCommand,
} from "./completion-grammar.ts";

export function formatZshScript(grammar: CompletionGrammar): string {
  const { name, commands, topLevel, defaultCommand, flags } = grammar;
  const outer = commands.filter((verb) => verb.subcommands.length > 0);
  const verbCases = commands.map((verb) => {
    const argumentAction =
      verb.subcommands.length > 0
        ? formatDescribe("command", verb.subcommands.map(formatCommandEntry))
        : formatAction(name, verb.argument);
    return `    (${quote(verb.path)}) flags=(${formatFlagEntries(verb.flags)}); _${name}_behind() { ${argumentAction} } ;;`;
  });
  const valueCases = commands.flatMap((verb) =>
    verb.flags.flatMap(({ names, value }) => {
      if (value === undefined) return [];
      const patterns = names.map((flag) => quote(`${verb.path} ${flag}`)).join("|");
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
    (${outer.map(({ path }) => quote(path)).join("|")})
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
      return `compadd -- ${value.words.map(quote).join(" ")}`;
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
  return quote(`${path.split(" ").at(-1) ?? path}:${description}`);
}

function formatFlagEntries(flags: readonly CompletionFlag[]): string {
  return flags
    .flatMap(({ names, description }) => names.map((name) => quote(`${name}:${description}`)))
    .join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
