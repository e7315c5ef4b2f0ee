// Owns programs that run the command after them: nice, timeout, env, xargs and similar ones. Each row
// has the options that take a value and the number of operands that come first.

import { parseAssignment, parseEnvAssignment, judgeVariable } from "../variable-rules.ts";
import { PROGRAM_OUTPUT } from "../word-marks.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { hasOption, type OptionShape, readOptions, valuesFor } from "./getopt.ts";

interface PrefixProgram extends OptionShape {
  /** Operands before the command: the duration of timeout, the folder of chroot. */
  readonly skip?: number;
  /** Options with which it only looks something up and runs nothing. */
  readonly unless?: readonly string[];
}

const PREFIX_PROGRAMS: Readonly<Record<string, PrefixProgram>> = {
  nice: { values: "n", flags: "0123456789", long: ["adjustment"] },
  ionice: {
    values: "cnpPu",
    flags: "t",
    long: ["class", "classdata", "pid"],
    longFlags: ["ignore"],
  },
  timeout: {
    values: "ks",
    flags: "vfp",
    long: ["kill-after", "signal"],
    longFlags: ["foreground", "preserve-status", "verbose"],
    skip: 1,
  },
  nohup: {},
  uftrace: {},
  "systemd-cat": { values: "tp", long: ["identifier", "priority", "stderr-priority"] },
  setsid: { flags: "cfw", longFlags: ["ctty", "fork", "wait"] },
  stdbuf: { values: "ioe", long: ["input", "output", "error"] },
  time: {
    values: "fo",
    flags: "apvqlh",
    long: ["format", "output"],
    longFlags: ["append", "verbose", "portability", "quiet"],
  },
  taskset: { flags: "ac", longFlags: ["all-tasks", "cpu-list"], skip: 1 },
  chrt: { values: "TPD", flags: "bdefiormRva", skip: 1 },
  caffeinate: { values: "tw", flags: "dimsu" },
  command: { flags: "pvV", unless: ["v", "V"] },
  builtin: {},
  exec: { values: "a", flags: "cl" },
  noglob: {},
  nocorrect: {},
  chroot: { long: ["userspec", "groups"], longFlags: ["skip-chdir"], skip: 1 },
  busybox: {},
  toybox: {},
  catchsegv: {},
  eatmydata: {},
  unbuffer: { flags: "p" },
  choom: { values: "np", long: ["adjust", "pid"] },
  logsave: { flags: "asv", skip: 1 },
  winpty: {},
};

/** Installed as `gnice`, `gtimeout` and so on by GNU's packages for macOS. */
const GNU_ON_MAC = ["nice", "timeout", "nohup", "stdbuf", "time", "chroot"];

const judgeRest =
  (prefix: PrefixProgram): Rule =>
  (args, run) => {
    const options = readOptions(args, prefix);
    if (options.hasUnknown) run.judgeEveryStart(args);
    if (prefix.unless !== undefined && hasOption(options, ...prefix.unless)) return;
    const command = options.operands.slice(prefix.skip ?? 0);
    if (command.length > 0) run.judgeArgv(command);
  };

const ENV: OptionShape = {
  values: "uCSPL",
  flags: "i0v",
  long: ["unset", "chdir", "split-string", "argv0"],
  longFlags: [
    "ignore-environment",
    "null",
    "debug",
    "block-signal",
    "default-signal",
    "ignore-signal",
    "list-signal-handling",
  ],
};

const env: Rule = (args, run) => {
  const options = readOptions(args[0] === "-" ? args.slice(1) : args, ENV);
  if (options.hasUnknown) run.judgeEveryStart(args);
  const split = valuesFor(options, "S", "split-string");
  judgeAssigned([...options.operands], run);
  // -S splits like a shell without expansions; the other words follow, and env reads all of them again,
  // including options. Quotes decide where its escapes count: both readings are judged.
  for (const text of new Set(split.flatMap((each) => [each, removeEscapes(each)]))) {
    run.judgeShellText(["env", text, ...options.operands].join(" "));
    run.judgeArgv(["env", ...text.split(/[\s]+/).filter(Boolean), ...options.operands]);
  }
};

/** Judges `cross-env-shell A=1 "rm x"`: a shell reads the words after the variables. */
const envShell: Rule = (args, run) => {
  env(args, run, "env");
  run
    .asPossible()
    .judgeShellText(args.filter((word) => parseAssignment(word) === undefined).join(" "));
};

/** Removes the escapes of env's -S for blanks, such as `\_`. */
function removeEscapes(text: string): string {
  return text.replaceAll(/\\[_tnvfr]/g, " ").replaceAll(/\\c[\s\S]*$/g, "");
}

/** Judges `A=1 B=2 command …`, as env and cross-env read it. */
function judgeAssigned(words: readonly string[], run: Run): void {
  let index = 0;
  for (; index < words.length; index++) {
    const assignment = parseEnvAssignment(words[index] ?? "");
    if (assignment === undefined) break;
    judgeVariable(assignment.name, assignment.value, run);
    // The command may use `${A}`.
    run.scope.add(assignment.name, [assignment.value]);
  }
  if (index < words.length) run.judgeArgv(words.slice(index));
}

const XARGS: OptionShape = {
  values: "ILnPsdEaJRS",
  flags: "0rtpxoeil",
  long: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
  longFlags: [
    "null",
    "no-run-if-empty",
    "verbose",
    "interactive",
    "exit",
    "open-tty",
    "eof",
    "replace",
    "max-lines",
    "show-limits",
  ],
};

const xargs: Rule = (args, run) => {
  const options = readOptions(args, XARGS);
  if (options.hasUnknown) run.judgeEveryStart(args);
  if (options.operands.length === 0) return;
  const holders = [
    ...valuesFor(options, "I", "replace", "J"),
    ...(hasOption(options, "i", "replace") ? ["{}"] : []),
  ];
  const filled = options.operands.map((word) =>
    holders.reduce(
      (text, holder) => (holder === "" ? text : text.replaceAll(holder, PROGRAM_OUTPUT)),
      word,
    ),
  );
  run.withStdin(false, []).judgeArgv(holders.length > 0 ? filled : [...filled, PROGRAM_OUTPUT]);
};

const FLOCK: OptionShape = {
  values: "wE",
  flags: "sxeunoFv",
  long: ["timeout", "wait", "conflict-exit-code"],
  longFlags: ["shared", "exclusive", "unlock", "nonblock", "nb", "close", "no-fork", "verbose"],
};

const flock: Rule = (args, run) => {
  const options = readOptions(args, FLOCK);
  if (options.hasUnknown) run.judgeEveryStart(args);
  const [, first, ...rest] = options.operands;
  if (first === undefined) return;
  if (first === "-c" || first === "--command") return run.judgeShellText(rest.join(" "));
  run.judgeArgv([first, ...rest]);
};

export const PREFIX_RULES: readonly [string, Rule][] = [
  ...Object.entries(PREFIX_PROGRAMS).map(([name, prefix]): [string, Rule] => [
    name,
    judgeRest(prefix),
  ]),
  ...GNU_ON_MAC.map((name): [string, Rule] => [`g${name}`, judgeRest(PREFIX_PROGRAMS[name] ?? {})]),
  ...registerRule("env cross-env genv", env),
  ["cross-env-shell", envShell],
  ...registerRule("xargs gxargs", xargs),
  ["flock", flock],
];
