// Owns programs that take a command, or code, as the value of an option. None is on the safe list, so
// the rows only look for anything worse than unknown.

import type { Rule } from "../rule.ts";
import { formatCode, registerRule } from "../rule.ts";
import { PROGRAM_OUTPUT } from "../word-marks.ts";
import { toRuleName } from "../program-names.ts";
import { judgeSshSetting } from "./remote-and-later.ts";
import { hasOption, readOptions, valuesFor } from "./getopt.ts";
import { judgeStdin } from "./shell-programs.ts";

interface CommandOption {
  /** Letters whose value is a command. */
  readonly letters?: string;
  /** Long options whose value is a command. */
  readonly long?: readonly string[];
  /** Letters with a value of another kind. */
  readonly other?: string;
  /** `tar cIf x y`: a first word of letters, whose values follow in order. */
  readonly bundled?: boolean;
  /** `-o` takes settings of ssh. */
  readonly ssh?: boolean;
  /** Whether it runs its standard input: always, or with one of these letters. */
  readonly input?: boolean | string;
  /** The value is code of another language, not a shell line. */
  readonly code?: boolean;
  /** Commas separate the words of the value. */
  readonly commas?: boolean;
}

const COMMAND_OPTIONS: Readonly<Record<string, CommandOption>> = {
  tar: {
    letters: "IF",
    long: [
      "to-command",
      "use-compress-program",
      "rsh-command",
      "rmt-command",
      "checkpoint-action",
      "info-script",
      "new-volume-script",
    ],
    other: "fCTXbgKLNVH",
    bundled: true,
  },
  bsdtar: { long: ["use-compress-program"], other: "fCTXbs", bundled: true },
  rg: { long: ["pre", "hostname-bin"], other: "egftTmMABCjd" },
  man: { letters: "PH", long: ["pager", "html"], other: "CRLmMSserETp" },
  rsync: { letters: "e", long: ["rsh", "rsync-path"], other: "fBTM" },
  scp: { letters: "S", other: "cFiJlPoXD", ssh: true },
  sftp: { letters: "SD", other: "bcFiJlPoBRsX", ssh: true, input: true },
  split: { long: ["filter"], other: "abClnt" },
  zip: { long: ["unzip-command"], other: "bntxi" },
  nc: { letters: "ec", long: ["exec", "sh-exec"], other: "iIlpqsTVwXxm" },
  tcpdump: { letters: "z", other: "BcCEFGijmMrsTVwWyZQ" },
  bat: { long: ["pager"] },
  ctest: { long: ["build-and-test", "test-command"] },
  // `-wrapper rm,x`
  gcc: { long: ["wrapper"], commas: true },
  fzf: { long: ["preview", "bind", "with-shell"], code: true },
  vim: {
    letters: "cSl",
    long: ["cmd", "remote-expr", "remote-send"],
    other: "iqtTuUwWrs",
    code: true,
    input: "eE",
  },
  ed: { other: "p", code: true, input: true },
  dc: { letters: "e", long: ["expression"], other: "f", code: true, input: true },
  sqlite3: { long: ["cmd"], code: true, input: true },
  ftp: { code: true, input: true },
  lftp: { letters: "ec", code: true, input: true },
  gdb: {
    letters: "x",
    long: ["ex", "eval-command", "x", "command", "init-eval-command"],
    code: true,
    input: true,
  },
  lldb: { letters: "oOsS", long: ["one-line", "source"], other: "fpnwc", code: true, input: true },
  psql: { letters: "cf", long: ["command", "file"], other: "dhpUvoL", code: true },
  mysql: { letters: "e", long: ["execute"], other: "uphPDS", code: true },
  redis: { long: ["eval"], code: true },
  emacsclient: { letters: "ae", long: ["eval", "alternate-editor"], code: true },
  watchman: { letters: "j", code: true },
  sshfs: { letters: "o", other: "pFC", code: true },
};

const judgeCommandOptions =
  (holder: CommandOption): Rule =>
  (whole, run, program) => {
    const args = holder.bundled ? unbundleOptions(whole, holder) : whole;
    const options = readOptions(args, {
      values: (holder.letters ?? "") + (holder.other ?? ""),
      flags: "*",
      long: holder.long ?? [],
      mixesOperands: true,
    });
    for (const value of valuesFor(
      options,
      ...(holder.letters ?? "").split(""),
      ...(holder.long ?? []),
    )) {
      if (!holder.code)
        run.note(
          "unknown",
          `${formatCode(toRuleName(program))} runs a program given in its options`,
        );
      if (value.includes(PROGRAM_OUTPUT))
        run.note("blocked", `${run.callText()} runs the output of another program`);
      else if (holder.code) run.judgeCode(value.replaceAll("!", " "));
      else run.judgeShellText(value.replace(/^exec=/, ""));
    }
    for (const [index, word] of args.entries()) {
      const value = findCommandIn(word, args[index + 1] ?? "", holder);
      if (value === undefined) continue;
      if (value.includes(PROGRAM_OUTPUT))
        run.note("blocked", `${run.callText()} runs the output of another program`);
      if (holder.code) run.asPossible().judgeCode(value.replaceAll("!", " "));
      else run.asPossible().judgeShellText(holder.commas ? value.replaceAll(",", " ") : value);
    }
    if (holder.ssh) for (const setting of valuesFor(options, "o")) judgeSshSetting(setting, run);
    const letters = typeof holder.input === "string" ? holder.input.split("") : [];
    const runsInput =
      holder.input === true || hasOption(options, ...letters) || toRuleName(program) === "ex";
    if (holder.code || runsInput)
      judgeStdin(runsInput ? run : run.withStdin(false, run.stdin), (text) => run.judgeCode(text));
  };

/** Returns the command in a word; which letters of a cluster take a value varies (`vim -es -c`). */
function findCommandIn(
  word: string,
  next: string,
  { letters, long, code }: CommandOption,
): string | undefined {
  if (code && word.startsWith("+")) return word;
  if (!word.startsWith("-")) return undefined;
  // Editors and debuggers accept one dash instead of two.
  const [name = "", ...inline] = word.replace(/^--?/, "").split("=");
  if (name.length > 1 && long?.includes(name)) return inline.length > 0 ? inline.join("=") : next;
  const at = word.startsWith("--")
    ? -1
    : word.split("").findIndex((sign) => letters?.includes(sign));
  return at < 1 ? undefined : word.slice(at + 1) || next;
}

/** Rewrites old-style options: `cIf x y` is `-c -I x -f y`. */
function unbundleOptions(args: readonly string[], holder: CommandOption): readonly string[] {
  const [first = "", ...rest] = args;
  if (!/^[A-Za-z]+$/.test(first)) return args;
  const takes = (holder.letters ?? "") + (holder.other ?? "");
  let next = 0;
  const options = first
    .split("")
    .flatMap((letter) =>
      takes.includes(letter) && next < rest.length
        ? [`-${letter}`, rest[next++] ?? ""]
        : [`-${letter}`],
    );
  return [...options, ...rest.slice(next)];
}

/** Judges `zip -TT 'rm x'`, also at the end of a cluster. */
const zip: Rule = (args, run) => {
  for (const [index, word] of args.entries()) {
    const test = /^-[a-zA-Z]*TT=?([\s\S]*)$/.exec(word)?.[1];
    if (test !== undefined) run.judgeShellText(test === "" ? (args[index + 1] ?? "") : test);
  }
};

/** Judges `ed '!rm x'`: a file name that is a command. */
const ed: Rule = (args, run) => {
  for (const word of args) if (word.startsWith("!")) run.judgeShellText(word.slice(1));
};

/** Judges `less +'!rm x'`, `sqlite3 db '.shell rm x'` */
const pager: Rule = (args, run) => {
  for (const word of args)
    if (/^\s*[+.]|\bedit\s*\(/.test(word)) run.judgeCode(word.replaceAll("!", " "));
};

export const PROGRAM_RULES: readonly [string, Rule][] = [
  ...Object.entries(COMMAND_OPTIONS).map(([name, holder]): [string, Rule] => [
    name,
    judgeCommandOptions(holder),
  ]),
  ...registerRule(
    "vi view nvim gvim ex rvim rview rgvim rgview gview evim eview vimx nvi elvis vile vimdiff gvimdiff",
    judgeCommandOptions(COMMAND_OPTIONS["vim"] ?? {}),
  ),
  ...registerRule("ncat netcat", judgeCommandOptions(COMMAND_OPTIONS["nc"] ?? {})),
  ...registerRule("g++ cc c++ clang", judgeCommandOptions(COMMAND_OPTIONS["gcc"] ?? {})),
  ["gtar", judgeCommandOptions(COMMAND_OPTIONS["tar"] ?? {})],
  ["red", judgeCommandOptions(COMMAND_OPTIONS["ed"] ?? {})],
  ["sqlite", judgeCommandOptions(COMMAND_OPTIONS["sqlite3"] ?? {})],
  ["zip", zip],
  ...registerRule("ed red", ed),
  ["mariadb", judgeCommandOptions(COMMAND_OPTIONS["mysql"] ?? {})],
  ...registerRule("less more most sqlite3 sqlite", pager),
];
