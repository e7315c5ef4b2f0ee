// Generates the completion script for zsh. Pure.

import type { Flag, Grammar, Value, Verb } from "./grammar.ts";

export function zshScript(grammar: Grammar): string {
  const { name, verbs, first, usual, flags } = grammar;
  const outer = verbs.filter((verb) => verb.verbs.length > 0);
  const verbCases = verbs.map((verb) => {
    const behind =
      verb.verbs.length > 0
        ? described("command", verb.verbs.map(verbEntry))
        : action(name, verb.argument);
    return `    (${quoted(verb.path)}) flags=(${entries(verb.flags)}); _${name}_behind() { ${behind} } ;;`;
  });
  const valueCases = verbs.flatMap((verb) =>
    verb.flags.flatMap(({ names, value }) => {
      if (value === undefined) return [];
      const patterns = names.map((flag) => quoted(`${verb.path} ${flag}`)).join("|");
      return [`    (${patterns}) ${action(name, value)}; return ;;`];
    }),
  );
  return `#compdef ${name}
# Completes ${name} in zsh. In ~/.zshrc, behind compinit: eval "$(${name} completion zsh)"
_${name}() {
  local cur=$words[CURRENT] prev=$words[CURRENT-1] verb=${usual.path}
  local -a flags entries
  if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then verb=$words[2]; fi
  case $verb in
    (${outer.map(({ path }) => quoted(path)).join("|")})
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
    flags+=(${entries(flags)})
    _${name}_behind() { ${described("command", first.map(verbEntry))} }
  fi
  if [[ $cur == -* ]]; then _describe -o flag flags; else _${name}_behind; fi
  unfunction _${name}_behind
}
if [[ $funcstack[1] == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi`;
}

function action(program: string, value: Value | undefined): string {
  if (value === undefined) return ":";
  switch (value.kind) {
    case "words":
      return `compadd -- ${value.words.map(quoted).join(" ")}`;
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

function described(what: string, all: readonly string[]): string {
  return `entries=(${all.join(" ")}); _describe ${what} entries;`;
}

function verbEntry({ path, description }: Verb): string {
  return quoted(`${path.split(" ").at(-1) ?? path}:${description}`);
}

function entries(flags: readonly Flag[]): string {
  return flags
    .flatMap(({ names, description }) => names.map((name) => quoted(`${name}:${description}`)))
    .join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
