// Owns programs that stop the machine by a verb, and builders and tools that run what they are given.

import { UNKNOWN } from "../marks.ts";
import { named, type Rule } from "../run.ts";
import { readsStdin } from "./shells.ts";

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

/** `ip netns exec name command` */
const ip: Rule = (args, run) => {
  const from = args.indexOf("exec");
  if (from >= 0) run.argv(args.slice(from + 2));
};

/** `EXEC:command` */
const socat: Rule = (args, run) => {
  for (const word of args) {
    const command = /^(?:EXEC|SYSTEM|SHELL):([^,]*)/i.exec(word)?.[1];
    if (command !== undefined) run.shell(command.replaceAll(/^["']|["']$/g, ""));
  }
};

export const MACHINE_RULES: readonly [string, Rule][] = [
  ["systemctl", systemctl],
  ...named("init telinit", init),
  ["fuser", fuser],
  ...named("make gmake bmake", make),
  ["cmake", cmake],
  ["ip", ip],
  ["socat", socat],
];
