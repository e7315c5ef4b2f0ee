// Owns programs that take a command, or code, as an option's value. None is on the safe list, so the
// rows only look for what is worse than unknown.

import { named, type Rule } from "../run.ts";
import { readOptions, valuesFor } from "./options.ts";
import { readsStdin } from "./shells.ts";

interface Holder {
  /** Letters whose value is a command. */
  readonly letters?: string;
  /** Long options whose value is a command. */
  readonly long?: readonly string[];
  /** Letters and long options with a value of another kind. */
  readonly other?: string;
  /** The value is another language's code, not a shell line. */
  readonly code?: boolean;
}

const HOLDERS: Readonly<Record<string, Holder>> = {
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
    other: "fCTXbgKLNV",
  },
  bsdtar: { long: ["use-compress-program"], other: "fCTXbs" },
  rg: { long: ["pre", "hostname-bin"], other: "egftTmMABCjd" },
  man: { letters: "PH", long: ["pager", "html"], other: "CRLmMSserETp" },
  rsync: { letters: "e", long: ["rsh", "rsync-path"], other: "fBTM" },
  scp: { letters: "S", other: "cFiJlPoXD" },
  sftp: { letters: "SD", other: "bcFiJlPoBRsX" },
  split: { long: ["filter"], other: "abClnt" },
  zip: { long: ["unzip-command"], other: "bntxi" },
  nc: { letters: "ec", long: ["exec", "sh-exec"], other: "iIlpqsTVwXxm" },
  tcpdump: { letters: "z", other: "BcCEFGijmMrsTVwWyZQ" },
  bat: { long: ["pager"] },
  ctest: { long: ["build-and-test", "test-command"] },
  gcc: { long: ["wrapper"] },
  vim: { letters: "cS", long: ["cmd"], other: "iqtTuUwWrs", code: true },
  gdb: { long: ["ex", "eval-command", "x", "command", "init-eval-command"], code: true },
  lldb: { letters: "oOsS", long: ["one-line", "source"], other: "fpnwc", code: true },
  psql: { letters: "cf", long: ["command", "file"], other: "dhpUvoL", code: true },
  mysql: { letters: "e", long: ["execute"], other: "uphPDS", code: true },
  redis: { long: ["eval"], code: true },
  emacsclient: { letters: "ae", long: ["eval", "alternate-editor"], code: true },
  watchman: { letters: "j", code: true },
  sshfs: { letters: "o", other: "pFC", code: true },
};

const holds =
  (holder: Holder): Rule =>
  (args, run) => {
    const options = readOptions(args, {
      values: (holder.letters ?? "") + (holder.other ?? ""),
      flags: "*",
      long: holder.long ?? [],
      mixed: true,
    });
    for (const value of valuesFor(
      options,
      ...(holder.letters ?? "").split(""),
      ...(holder.long ?? []),
    )) {
      if (holder.code) run.code(value.replaceAll("!", " "));
      else run.shell(value.replace(/^exec=/, ""));
    }
    // One-dash long options and `+command` of editors and debuggers.
    for (const [index, word] of args.entries()) {
      const name = word.replace(/^-/, "");
      if (
        word.startsWith("-") &&
        !word.startsWith("--") &&
        name.length > 1 &&
        holder.long?.includes(name)
      ) {
        run.code(args[index + 1] ?? "");
      }
      if (holder.code && word.startsWith("+")) run.code(word.replaceAll("!", " "));
    }
    if (holder.code) readsStdin(run.fed(false, run.stdin), (text) => run.code(text));
  };

/** `less +'!rm x'`, `sqlite3 db '.shell rm x'` */
const pager: Rule = (args, run) => {
  for (const word of args) if (/^[+.]/.test(word)) run.code(word.replaceAll("!", " "));
};

export const PROGRAM_RULES: readonly [string, Rule][] = [
  ...Object.entries(HOLDERS).map(([name, holder]): [string, Rule] => [name, holds(holder)]),
  ...named("vi view nvim gvim ex rvim vimdiff", holds(HOLDERS["vim"] ?? {})),
  ...named("ncat netcat", holds(HOLDERS["nc"] ?? {})),
  ...named("g++ cc c++ clang", holds(HOLDERS["gcc"] ?? {})),
  ["mariadb", holds(HOLDERS["mysql"] ?? {})],
  ...named("less more most sqlite3", pager),
];
