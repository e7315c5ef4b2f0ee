// Generates the completion script for bash 3.2 and newer. Pure.

import type {
  CompletionFlag,
  CompletionGrammar,
  CompletionValue,
  CompletionCommand,
} from "./completion-grammar.ts";

export function formatBashScript(grammar: CompletionGrammar): string {
  const { name, commands, topLevel, defaultCommand: defaultVerb, flags } = grammar;
  const outer = commands.filter((verb) => verb.subcommands.length > 0);
  const valueCases = commands.flatMap((verb) =>
    verb.flags.filter(takesValue).map((flag) => {
      const patterns = flag.names.map((flagName) => quote(`${verb.path} ${flagName}`));
      return `    ${patterns.join("|")}) ${formatValue(flag.value)} ;;`;
    }),
  );
  const verbCases = commands.map((verb) => {
    const words = verb.subcommands.map(lastWord);
    const argument: CompletionValue | undefined =
      words.length > 0 ? { kind: "words", words } : verb.argument;
    return `    ${quote(verb.path)}) flags=${quote(joinNames(verb.flags))}; ${formatValue(argument)} ;;`;
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
    ${outer.map(({ path }) => quote(path)).join("|")})
      if [[ $COMP_CWORD -gt 2 && \${COMP_WORDS[2]} != -* ]]; then verb="$verb \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$verb" in
${verbCases.join("\n")}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    kind=words
    words=${quote(topLevel.map(({ path }) => path).join(" "))}
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
  if (value.kind === "words") return `kind=words; words=${quote(value.words.join(" "))}`;
  if (value.kind === "ids") return `kind=ids; words=${value.of}`;
  return `kind=${value.kind}`;
}

function joinNames(flags: readonly CompletionFlag[]): string {
  return flags.flatMap((flag) => flag.names).join(" ");
}

function lastWord({ path }: CompletionCommand): string {
  return path.split(" ").at(-1) ?? path;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}
