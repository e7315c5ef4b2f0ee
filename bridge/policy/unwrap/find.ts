// Owns find, fd and similar programs: what they run for each file, and what they delete or write.

import { UNKNOWN_VALUE } from "../word-marks.ts";
import { judgeWrittenFile } from "../redirects.ts";
import { registerRule, type Rule } from "../rule.ts";

const RUNS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
const WRITES: ReadonlySet<string> = new Set(["-fprint", "-fprint0", "-fprintf", "-fls"]);

const find: Rule = (args, run) => {
  for (const [index, word] of args.entries()) {
    if (RUNS.has(word)) {
      run.note("unknown", `\`find ${word}\` runs a program`);
      const rest = args.slice(index + 1);
      const end = rest.findIndex(
        (part, at) => part === ";" || (part === "+" && rest[at - 1] === "{}"),
      );
      const command = rest.slice(0, end < 0 ? rest.length : end);
      run.judgeArgv(command.map((part) => part.replaceAll("{}", UNKNOWN_VALUE)));
    } else if (word === "-delete") {
      run.note("dangerous", "`find -delete` deletes files");
    } else if (WRITES.has(word)) {
      judgeWrittenFile(args[index + 1] ?? UNKNOWN_VALUE, false, run);
    } else if (word.includes(UNKNOWN_VALUE) && !/^[./~]/.test(word)) {
      run.note("unknown", "a `find` argument known only at run time may be an action");
    }
  }
};

const FD_RUNS = /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)$/;

const fd: Rule = (args, run) => {
  const from = args.findIndex((word) => FD_RUNS.test(word));
  if (from >= 0) run.judgeArgv(args.slice(from + 1).filter((word) => word !== ";"));
  for (const word of args) {
    const inline = /^--exec(?:-batch)?=([\s\S]+)$/.exec(word)?.[1];
    if (inline !== undefined) run.judgeArgv([inline]);
  }
};

export const FIND_RULES: readonly [string, Rule][] = [
  ...registerRule("find gfind", find),
  ...registerRule("fd fdfind", fd),
];
