// Owns programs that stop the machine by a sub-command, and builders and tools that run their
// arguments. Also owns programs that type into another terminal or window: the keys may be a
// command, sent letter by letter. Which program reads them is not known here.

import type { Rule } from "../rule.ts";
import { registerRule } from "../rule.ts";
import type { OptionShape } from "./getopt.ts";
import { readOptions, valuesFor } from "./getopt.ts";
import { judgeRunFile } from "./shell-programs.ts";

const STOPS =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|emergency|rescue|kill|exit|isolate)$/;

const systemctl: Rule = (args, run) => {
  if (args.some((word) => STOPS.test(word)))
    run.note("blocked", `${run.callText()} stops the machine or its processes`);
};

const init: Rule = (args, run) => {
  if (args.some((word) => /^[06sS1]$/.test(word)))
    run.note("blocked", `${run.callText()} stops the machine`);
};

const fuser: Rule = (args, run) => {
  if (args.some((word) => /^-[a-zA-Z]*k|^--kill/.test(word)))
    run.note("blocked", `${run.callText()} ends processes`);
};

const MAKE: OptionShape = {
  values: "CEfIoW",
  flags: "*",
  long: [
    "eval",
    "file",
    "makefile",
    "directory",
    "include-dir",
    "old-file",
    "assume-old",
    "what-if",
    "new-file",
    "assume-new",
  ],
  longFlags: ["environment-overrides"],
  mixesOperands: true,
};

/** Judges make: a variable or code on its command line may be a command. */
const make: Rule = (args, run) => {
  for (const word of args) {
    const value = /^(?:[\w.]+[:+?]*=)([\s\S]+)$/.exec(word)?.[1];
    if (value !== undefined) run.asPossible().judgeShellText(value);
  }
  const options = readOptions(args, MAKE);
  for (const text of valuesFor(options, "E", "eval")) {
    run.asPossible().judgeShellText(text);
    run.judgeCode(text);
  }
  for (const file of valuesFor(options, "f", "file", "makefile"))
    judgeRunFile(file, run, (text) => run.judgeCode(text));
};

const cmake: Rule = (args, run) => {
  const from = args.indexOf("-E");
  if (from >= 0) run.judgeArgv(args.slice(from + 1));
};

/** Judges `ip netns exec name command` */
const ip: Rule = (args, run) => {
  const from = args.indexOf("exec");
  if (from >= 0) run.judgeArgv(args.slice(from + 2));
};

/** Judges `coreutils --coreutils-prog=rm x` */
const coreutils: Rule = (args, run) => {
  for (const [index, word] of args.entries()) {
    const program = /^--coreutils-prog(?:-shebang)?=([\s\S]+)$/.exec(word)?.[1];
    if (program !== undefined) run.judgeArgv([program, ...args.slice(index + 1)]);
  }
};

const daemon: Rule = (args, run) => {
  if (args.some((word) => /^-[a-zA-Z]*K|^--sto/.test(word)))
    run.note("blocked", `${run.callText()} ends processes`);
};

/** Judges `-o APT::Update::Pre-Invoke::='rm x'`, `--pre-invoke='rm x'` */
const apt: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "oct",
    flags: "*",
    long: ["option", "config-file", "target-release", "pre-invoke", "post-invoke"],
    mixesOperands: true,
  });
  for (const setting of valuesFor(options, "o", "option"))
    run.asPossible().judgeShellText(setting.slice(setting.indexOf("=") + 1));
  for (const command of valuesFor(options, "pre-invoke", "post-invoke"))
    run.judgeShellText(command);
};

/** Judges `EXEC:command` */
const socat: Rule = (args, run) => {
  for (const word of args) {
    const command = /^(?:EXEC|SYSTEM|SHELL):([^,]*)/i.exec(word)?.[1];
    if (command !== undefined) run.judgeShellText(command.replaceAll(/^["']|["']$/g, ""));
  }
};

export const MACHINE_RULES: readonly [string, Rule][] = [
  ["systemctl", systemctl],
  ...registerRule("init telinit", init),
  ["fuser", fuser],
  ...registerRule("make gmake bmake", make),
  ["coreutils", coreutils],
  ["start-stop-daemon", daemon],
  ...registerRule("apt apt-get apt-cache aptitude dpkg", apt),
  ["cmake", cmake],
  ["ip", ip],
  ["socat", socat],
];

const judgeTyping =
  (typingWords: RegExp): Rule =>
  (args, run) => {
    if (typingWords.test(args.join(" ")))
      run.note("dangerous", `${run.callText()} types into another terminal`);
  };

export const TYPING_RULES: readonly [string, Rule][] = [
  ["tmux", judgeTyping(/(?:^|[ ;])(?:send|send-keys|paste-buffer|pasteb|respawn-\w+)(?: |$)/)],
  [
    "screen",
    judgeTyping(/(?:^| )-\w*X (?:stuff|paste|process|register|writebuf|readbuf|exec)(?: |$)/),
  ],
  ["dtach", judgeTyping(/(?:^| )-p(?: |$)/)],
  ["zellij", judgeTyping(/(?:^| )write(?:-chars)?(?: |$)/)],
  ...registerRule("kitty kitten wezterm", judgeTyping(/(?:^| )send-(?:text|key)(?: |$)/)),
  ...registerRule("xdotool ydotool wtype dotool xte", judgeTyping(/^/)),
];
