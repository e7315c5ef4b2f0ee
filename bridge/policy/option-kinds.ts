// Owns what makes one call of a program a different kind of call: options with values, settings,
// argument files. A standing rule was given for one kind and allows no other [Q18]. Only marks; the
// values are judged elsewhere.

import { toRuleName } from "./program-names.ts";
import type { Run } from "./rule.ts";

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
