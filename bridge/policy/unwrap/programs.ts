// Owns programs that take a command as an option's value, as text, or for another machine or time.
// None is on the safe list, so the rows only look for what is worse than unknown.

import { UNKNOWN } from "../marks.ts";
import { named, type Rule, type Run } from "../run.ts";
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
    for (const value of valuesFor(options, ...(holder.letters ?? ""), ...(holder.long ?? []))) {
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

/** `less +'!rm x'` */
const pager: Rule = (args, run) => {
  for (const word of args) if (word.startsWith("+")) run.code(word.replaceAll("!", " "));
};

const SSH = { values: "BbcDEeFIiJLlmOopQRSWw", flags: "*" };

/** What runs on another machine is judged, but is not this machine's level. */
const ssh: Rule = (args, run) => {
  const options = readOptions(args, SSH);
  for (const setting of valuesFor(options, "o")) {
    const command = /^\s*\w*Command[\s=]+([\s\S]*)$/i.exec(setting)?.[1];
    if (command !== undefined) run.shell(command);
  }
  const remote = options.operands.slice(1).filter((word, index) => index > 0 || word !== "--");
  if (remote.length > 0) run.aside().shell(remote.join(" "));
  else for (const text of run.stdin) run.aside().shell(text);
};

const watch: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "nqs",
    flags: "*",
    long: ["interval", "equexit", "shotsdir"],
    longFlags: [
      "beep",
      "color",
      "no-color",
      "differences",
      "errexit",
      "chgexit",
      "precise",
      "no-title",
      "no-wrap",
      "exec",
      "no-rerun",
    ],
  });
  if (options.strange) run.sweep(args);
  if (options.operands.length === 0) return;
  run.argv(options.operands);
  run.shell(options.operands.join(" "));
};

/** Arguments after `:::` are commands themselves when none is given before. */
const parallel: Rule = (args, run) => {
  const cut = args.findIndex((word) => /^::::?\+?$/.test(word));
  const options = readOptions(cut < 0 ? args : args.slice(0, cut), {
    values: "jNnLIdEaPsSU",
    flags: "*",
    long: [
      "jobs",
      "max-args",
      "max-lines",
      "delimiter",
      "arg-file",
      "colsep",
      "joblog",
      "results",
      "delay",
      "timeout",
      "retries",
      "halt",
      "sshlogin",
      "workdir",
      "tmpdir",
      "tagstring",
      "load",
      "memfree",
      "env",
      "basefile",
      "return",
      "nice",
      "shuf",
    ],
    longFlags: [
      "bar",
      "dry-run",
      "keep-order",
      "line-buffer",
      "progress",
      "tag",
      "ungroup",
      "will-cite",
      "null",
      "pipe",
      "xargs",
      "citation",
      "verbose",
      "quote",
      "group",
      "no-notice",
    ],
  });
  if (options.strange) run.sweep(args);
  const { operands } = options;
  const runsInput = operands.length === 0 || /^\{[^}]*\}$/.test(operands[0] ?? "");
  if (!runsInput) return run.shell(operands.join(" "));
  for (const text of cut < 0 ? [] : args.slice(cut + 1)) run.shell(text);
  readsStdin(run, (text) => run.fed(false, []).shell(text));
};

/** at, batch, crontab: a shell reads their input later. */
const later: Rule = (args, run) => {
  run.note("dangerous", "runs commands later");
  run.sweep(args);
  readsStdin(run, (text) => {
    run.fed(false, []).shell(text);
    // A crontab's line begins with five fields of time.
    for (const line of text.split("\n")) run.aside().shell(line.replace(/^\s*(?:\S+\s+){5}/, ""));
  });
};

const CONTAINER_RUNS: ReadonlySet<string> = new Set([
  "run",
  "exec",
  "create",
  "debug",
  "attach",
  "shell",
  "ssh",
]);

const container: Rule = (args, run) => {
  const verb = args.findIndex((word) => CONTAINER_RUNS.has(word));
  if (verb >= 0) run.sweep(args.slice(verb + 1));
};

const STOPS =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|emergency|rescue|kill|exit|isolate)$/;

const systemctl: Rule = (args, run) => {
  if (args.some((word) => STOPS.test(word)))
    run.note("blocked", "stops the machine or its processes");
};

const init: Rule = (args, run) => {
  if (args.some((word) => /^[06sS1]$/.test(word))) run.note("blocked", "stops the machine");
};

const fuser: Rule = (args, run) => {
  if (args.some((word) => /^-[a-zA-Z]*k|^--kill/.test(word))) run.note("blocked", "ends processes");
};

/** A variable on make's line, or code for it, may be a command. */
const make: Rule = (args, run) => {
  for (const word of args) {
    const value = /^(?:--eval=|[\w.]+[:+?]?=)([\s\S]+)$/.exec(word)?.[1];
    if (value !== undefined) run.aside().shell(value);
  }
  for (const [index, word] of args.entries()) {
    if (word === "--eval" || word === "-E") run.code(args[index + 1] ?? UNKNOWN);
  }
  if (args.some((word, index) => word === "-f-" || (word === "-f" && args[index + 1] === "-"))) {
    readsStdin(run, (text) => run.code(text));
  }
};

const cmake: Rule = (args, run) => {
  const from = args.indexOf("-E");
  if (from >= 0) run.argv(args.slice(from + 1));
};

/** `ip netns exec name command`, `EXEC:command` of socat, `.shell` of sqlite. */
const ip: Rule = (args, run) => {
  const from = args.indexOf("exec");
  if (from >= 0) run.argv(args.slice(from + 2));
};

const socat: Rule = (args, run) => {
  for (const word of args) {
    const command = /^(?:EXEC|SYSTEM|SHELL):([^,]*)/i.exec(word)?.[1];
    if (command !== undefined) run.shell(command.replaceAll(/^["']|["']$/g, ""));
  }
};

/** The dynamic loader runs the program it is given. */
const loader = (args: readonly string[], run: Run): void => run.sweep(args);

export const PROGRAM_RULES: readonly [string, Rule][] = [
  ...Object.entries(HOLDERS).map(([name, holder]): [string, Rule] => [name, holds(holder)]),
  ...named("vi view nvim gvim ex rvim vimdiff", holds(HOLDERS["vim"] ?? {})),
  ...named("ncat netcat", holds(HOLDERS["nc"] ?? {})),
  ...named("g++ cc c++ clang", holds(HOLDERS["gcc"] ?? {})),
  ...named("mariadb", holds(HOLDERS["mysql"] ?? {})),
  ...named("less more most", pager),
  ...named("ssh rsh remsh slogin dbclient", ssh),
  ...named("watch gwatch", watch),
  ["parallel", parallel],
  ...named("at batch crontab", later),
  ...named("docker podman nerdctl docker-compose kubectl oc crictl ctr", container),
  ["systemctl", systemctl],
  ...named("init telinit", init),
  ["fuser", fuser],
  ...named("make gmake bmake", make),
  ["cmake", cmake],
  ["ip", ip],
  ["socat", socat],
  ...named(
    "ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1",
    loader,
  ),
];
