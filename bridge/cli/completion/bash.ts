// Generates the completion script for bash 3.2 and newer. Pure.

import type { Flag, Grammar, Value, Verb } from "./grammar.ts";

export function bashScript(grammar: Grammar): string {
  const { name, verbs, first, usual, flags } = grammar;
  const outer = verbs.filter((verb) => verb.verbs.length > 0);
  const valueCases = verbs.flatMap((verb) =>
    verb.flags.filter(takesValue).map((flag) => {
      const patterns = flag.names.map((flagName) => quoted(`${verb.path} ${flagName}`));
      return `    ${patterns.join("|")}) ${fill(flag.value)} ;;`;
    }),
  );
  const verbCases = verbs.map((verb) => {
    const words = verb.verbs.map(lastWord);
    const behind: Value | undefined = words.length > 0 ? { kind: "words", words } : verb.argument;
    return `    ${quoted(verb.path)}) flags=${quoted(names(verb.flags))}; ${fill(behind)} ;;`;
  });
  return `# Completes ${name} in bash. In ~/.bashrc: eval "$(${name} completion bash)"
_${name}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local verb=${usual.path} flags="" kind="" words=""
  COMPREPLY=()
  # bash takes --role=view apart.
  if [[ $cur == "=" ]]; then cur=""
  elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[1]} != -* ]]; then verb=\${COMP_WORDS[1]}; fi
  case "$verb" in
    ${outer.map(({ path }) => quoted(path)).join("|")})
      if [[ $COMP_CWORD -gt 2 && \${COMP_WORDS[2]} != -* ]]; then verb="$verb \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$verb" in
${verbCases.join("\n")}
  esac
  if [[ $COMP_CWORD -eq 1 ]]; then
    kind=words
    words=${quoted(first.map(({ path }) => path).join(" "))}
    flags="$flags ${names(flags)}"
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

function takesValue(flag: Flag): flag is Flag & { readonly value: Value } {
  return flag.value !== undefined;
}

function fill(value: Value | undefined): string {
  if (value === undefined) return 'kind=""';
  if (value.kind === "words") return `kind=words; words=${quoted(value.words.join(" "))}`;
  if (value.kind === "ids") return `kind=ids; words=${value.of}`;
  return `kind=${value.kind}`;
}

function names(flags: readonly Flag[]): string {
  return flags.flatMap((flag) => flag.names).join(" ");
}

function lastWord({ path }: Verb): string {
  return path.split(" ").at(-1) ?? path;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, String.raw`\$&`)}"`;
}
