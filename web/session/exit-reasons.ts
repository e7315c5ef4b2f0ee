// Owns explaining why a program ended: the usual meaning of its exit code or signal. Pure.

import type { TerminalEnd } from "./terminal-list.ts";

/** Signals by number: shells report them as exit code 128 + number. */
const SIGNAL_NAMES: Readonly<Record<number, string>> = {
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

const SIGNAL_REASONS: Readonly<Record<string, string>> = {
  SIGHUP: "its terminal was closed",
  SIGINT: "interrupted, as by Ctrl-C",
  SIGQUIT: "quit, as by Ctrl-\\",
  SIGILL: "crashed: an instruction that this processor does not have",
  SIGABRT: "aborted after an error",
  SIGBUS: "crashed: invalid memory access",
  SIGFPE: "crashed: an impossible calculation, such as a division by zero",
  SIGKILL: "killed, or out of memory",
  SIGSEGV: "crashed: it accessed memory that is not its own",
  SIGPIPE: "its output was no longer read",
  SIGALRM: "its own timer ran out",
  SIGTERM: "asked to stop",
  SIGXCPU: "exceeded its CPU time limit",
  SIGXFSZ: "exceeded its file size limit",
  SIGSYS: "a system call that is not allowed here",
};

const EXIT_CODE_REASONS: Readonly<Record<number, string>> = {
  126: "the command cannot be run: no permission, or no program",
  127: "command not found",
};

/** Returns the explanation; undefined for 0 and for codes that only the program can explain. */
export function explainExit(ended: TerminalEnd): string | undefined {
  if (ended === "gone") return undefined;
  // A person who may not see the terminal must not learn which of the two it is.
  if (ended === "unseen") return "it ended, or it is no longer shared with you";
  // A person closed it, so the program's own exit is not interesting.
  if (ended.onPurpose === true) return ended.by === undefined ? undefined : `by ${ended.by}`;
  const { exitCode, signal } = ended;
  if (signal !== null) return SIGNAL_REASONS[signal];
  if (exitCode === null) return undefined;
  const name = SIGNAL_NAMES[exitCode - 128];
  return name === undefined ? EXIT_CODE_REASONS[exitCode] : `${SIGNAL_REASONS[name]} (${name})`;
}
