// Owns why a program ended, in words that need no manual: what its exit code or signal means by
// custom. Pure.

import type { Ended } from "./terminals.ts";

/** Signals as shells count them: 128 and this is the exit code of what one ended. */
const NUMBERS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
  24: "SIGXCPU",
  25: "SIGXFSZ",
  31: "SIGSYS",
};

const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: "its terminal went away",
  SIGINT: "interrupted, as by Ctrl-C",
  SIGQUIT: "quit, as by Ctrl-\\",
  SIGILL: "crashed: an instruction that this processor does not have",
  SIGABRT: "stopped itself after an error",
  SIGBUS: "crashed: memory that is not there",
  SIGFPE: "crashed: an impossible calculation, such as a division by zero",
  SIGKILL: "ended by force: somebody killed it, or the memory ran out",
  SIGSEGV: "crashed: it touched memory that is not its own",
  SIGPIPE: "nobody read its output any more",
  SIGALRM: "its own time limit was over",
  SIGTERM: "asked to end",
  SIGXCPU: "over its limit of processor time",
  SIGXFSZ: "over its limit of file size",
  SIGSYS: "a system call that is not allowed here",
};

const CODES: Readonly<Record<number, string>> = {
  126: "the command cannot be run: no permission, or no program",
  127: "command not found",
};

/** Undefined where there is nothing to add: 0, and codes that only the program can explain. */
export function reasonOf(ended: Ended): string | undefined {
  if (ended === "gone") return undefined;
  // Which of the two is not told to those who may not see it.
  if (ended === "unseen") return "it ended, or it is not shared with you now";
  // How its program took it is nobody's question: somebody closed it.
  if (ended.onPurpose === true) return ended.by === undefined ? undefined : `by ${ended.by}`;
  const { exitCode, signal } = ended;
  if (signal !== null) return SIGNALS[signal];
  if (exitCode === null) return undefined;
  const name = NUMBERS[exitCode - 128];
  return name === undefined ? CODES[exitCode] : `${SIGNALS[name]} (${name})`;
}
