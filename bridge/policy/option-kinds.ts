// Owns what makes one call of a program a different kind of call: options with values, settings,
// argument files. A standing rule was given for one kind and allows no other [Q18]. Only marks; the
// values are judged elsewhere. Also owns what the name of an option or a setting says about its
// value, for every program that is not on the safe list: `…editor`, `…command` and similar ones are
// run, `--output` is written.

import { isDevice, findTrust } from "./path-text.ts";
import { toRuleName, findBlockedReason, getProgramName } from "./program-names.ts";
import { judgeWrittenFile } from "./redirects.ts";
import type { Run } from "./rule.ts";
import { RUN_BY_NAME } from "./variable-rules.ts";

/** `--name=value`, and `-name=value` of compilers and Java. */
const WITH_VALUE = /^(--?[A-Za-z][\w.:+-]*)=/;
/** `SHELL=./x`, `-DX=y` */
const SETTING = /^(?:-[A-Z])?([A-Za-z_][\w.]*)[:+?]*=/;
/** `-I./x`, `-Bdir`, `-wrapper`: more than a cluster of flags, or a glued value. */
const GLUED = /^-(?:[A-Za-z]+[^A-Za-z\d].*|[a-z]*[A-Z][A-Za-z].*|[A-Za-z]{4,})$/s;
/** A path, a line, a setting or a list: not a plain word or number. */
const MORE_THAN_A_WORD = /[^\w.@+-]/;

/**
 * Options whose next word is a program, a file that is run or written, or a folder, even if it is a
 * plain word.
 */
const TAKES_NEXT: Readonly<Record<string, string>> = {
  "make gmake bmake": "-f -C -I -E --file --makefile --directory --include-dir --eval -o -W",
  "gcc g++ cc c++ clang clang++ tcc":
    "-B -o -wrapper -specs -x -include -imacros -T -Xlinker -Xassembler -Xpreprocessor -Xclang -fplugin -z",
  man: "-P -H -C -M -R -L -S -T --pager --html --config-file --manpath",
  "cp mv ln install": "-t -S --target-directory --suffix",
  "tar gtar bsdtar":
    "-I -F -C -T -X -g -K --to-command --use-compress-program --checkpoint-action --rsh-command --info-script --files-from --directory",
  "less more most": "-o -O -k -t -T --log-file --lesskey-file --lesskey-src --tag-file",
  "sort gsort": "-o -T --output --compress-program --files0-from",
  "zip unzip 7z": "-T -TT -O -d -b --unzip-command",
  rsync: "-e -f -T --rsh --rsync-path --files-from --filter --partial-dir --log-file",
  "scp sftp": "-S -o -F -i -J -D -b",
  "curl wget": "-o -O -K -T -x -d -F -e -i -P --config --output --upload-file --proxy --data",
  "vim vi nvim ex": "-c -S -u -U -s -w -W --cmd",
  cargo: "--config --manifest-path --target-dir -Z -C",
  "go gofmt": "-toolexec -exec -o -modfile -overlay -C -vettool",
  "pytest py.test": "-c -p -o --rootdir --confcutdir --basetemp",
  "docker podman kubectl": "-v -H -f --volume --mount --device --entrypoint --privileged",
};

const NEXT: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(TAKES_NEXT).flatMap(([names, options]) =>
    names.split(" ").map((name) => [name, new Set(options.split(" "))] as const),
  ),
);

/** Marks each option with a value by its name, and each setting. */
export function markOptions(word: string, args: readonly string[], run: Run): void {
  const name = toRuleName(word);
  const next = NEXT.get(name);
  for (const [index, arg] of args.entries()) {
    const kind = toOptionKind(arg, args[index + 1], next);
    if (kind !== undefined) run.noteKind(`${name} ${kind}`);
  }
}

function toOptionKind(
  arg: string,
  following: string | undefined,
  next: ReadonlySet<string> | undefined,
): string | undefined {
  if (/^[@+]./.test(arg)) return `${arg[0]}…`;
  const given = WITH_VALUE.exec(arg)?.[1] ?? SETTING.exec(arg)?.[0];
  if (given !== undefined) return given.replace(/=$/, "");
  if (!arg.startsWith("-") || arg === "-") return undefined;
  if (!arg.startsWith("--") && GLUED.test(arg))
    return arg.replace(/^(-[A-Za-z]+)[^A-Za-z].*$/s, "$1…");
  if (next?.has(arg)) return arg;
  const isValue = following !== undefined && !following.startsWith("-");
  return isValue && MORE_THAN_A_WORD.test(following) ? arg : undefined;
}

// Options of programs with a rule are in unwrap/.

const OPTION = /^--?([A-Za-z][\w.:-]+)(?:=([\s\S]*))?$/;
/** `--diff-cmd`, `-toolexec`, `--run_under`, `-vettool`, `--preview`. */
const RUN_OPTION = new RegExp(
  `(?:${RUN_BY_NAME}|EXECUTE|TOOL|UNDER|PREVIEW|PREPARE|ENTRYPOINT|EVAL)$`,
  "i",
);
/** `-XX:OnError=` */
const EVENT_OPTION = /(?:^|[-.:])On[A-Z]\w*$/;
/** `--config alias.x='!rm y'`, `-Dexec.executable=rm`, `-o Pre-Invoke='rm x'` */
const SETTING_WITH_VALUE = /^(?:-[A-Z])?([A-Za-z][\w.:-]*)=([\s\S]+)$/;
const RUN_SETTING = new RegExp(
  `(?:^|[.:_-])(?:${RUN_BY_NAME}|ALIAS|ALIASES|HOOKS)(?:[.:_-]|$)`,
  "i",
);
const OUTPUT =
  /^(?:-[oO]|--(?:output|output-document|output-file|outfile|out-file|out|dest))(?:=([\s\S]*))?$/;
/** Programs whose `-i` changes the files that they are given. */
const CHANGES_FILES = /^(?:g?sed|ssed|perl|ruby|yq|dasel)$/;
const IN_PLACE = /^(?:-[a-zA-Z]*i|--in-?place)/;

export function judgeNamedValues(word: string, args: readonly string[], run: Run): void {
  const changes =
    CHANGES_FILES.test(getProgramName(word)) && args.some((arg) => IN_PLACE.test(arg));
  for (const [at, arg] of args.entries()) {
    const next = args[at + 1];
    const [, name, glued] = OPTION.exec(arg) ?? [];
    if (name !== undefined && (RUN_OPTION.test(name) || EVENT_OPTION.test(name)))
      judgeRun(glued ?? next, run);
    const [, setting, value] = SETTING_WITH_VALUE.exec(arg) ?? [];
    if (setting !== undefined && RUN_SETTING.test(setting)) judgeRun(value, run);
    const output = OUTPUT.exec(arg);
    if (output !== null) judgeTarget(output[1] ?? next, run);
    if (changes && !arg.startsWith("-")) judgeTarget(arg, run);
  }
}

/** Judges a command line or program; `!` often starts a command, and lists have brackets and commas. */
function judgeRun(value: string | undefined, run: Run): void {
  const text = (value ?? "")
    .replace(/^[!|]/, "")
    .replaceAll(/[[\]",]/g, " ")
    .trim();
  if (text.startsWith("-")) return;
  if (/\s/.test(text)) run.asPossible().judgeShellText(text);
  else if (findBlockedReason(text) !== undefined) run.asPossible().judgeArgv([text]);
}

function judgeTarget(path: string | undefined, run: Run): void {
  if (path !== undefined && (findTrust(path) !== undefined || isDevice(path)))
    judgeWrittenFile(path, false, run);
}
