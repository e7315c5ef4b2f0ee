// Owns programs that do harm by a file: those of the safe list that can write one, and copies that
// give a blocked program a new name. Also owns find, fd and similar programs: what they run for
// each file, and what they delete or write.

import { toAbsolute, findTrust } from "../path-text.ts";
import {
  findBlockedArgumentReason,
  findBlockedReason,
  isBlockedFile,
  isBlockedSystemFile,
  getProgramName,
} from "../program-names.ts";
import { judgeWrittenFile } from "../redirects.ts";
import type { Rule, Run } from "../rule.ts";
import { registerRule } from "../rule.ts";
import { UNKNOWN_VALUE } from "../word-marks.ts";
import { readOptions, valuesFor } from "./getopt.ts";

const tee: Rule = (args, run) => {
  const options = readOptions(args, {
    flags: "aip",
    longFlags: ["append", "ignore-interrupts", "output-error"],
    mixesOperands: true,
  });
  for (const path of options.operands) judgeWrittenFile(path, false, run);
};

const sort: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "koStT",
    flags: "*",
    long: [
      "key",
      "output",
      "buffer-size",
      "field-separator",
      "temporary-directory",
      "compress-program",
      "files0-from",
      "parallel",
      "batch-size",
      "random-source",
      "sort",
    ],
    mixesOperands: true,
  });
  for (const path of valuesFor(options, "o", "output")) judgeWrittenFile(path, false, run);
  for (const program of valuesFor(options, "compress-program"))
    run.asPossible().judgeShellText(program);
};

/** Judges uniq: a second operand is a file that it writes. */
const uniq: Rule = (args, run) => {
  const { operands } = readOptions(args, {
    values: "fsw",
    flags: "*",
    long: ["skip-fields", "skip-chars", "check-chars"],
    mixesOperands: true,
  });
  if (operands[1] !== undefined) judgeWrittenFile(operands[1], false, run);
};

const tree: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "oLPIHT",
    flags: "*",
    long: ["filelimit", "charset", "timefmt", "sort", "fromfile", "output"],
    mixesOperands: true,
  });
  for (const path of valuesFor(options, "o", "output")) judgeWrittenFile(path, false, run);
};

/** Judges copies of blocked programs: `cp /bin/rm x; ./x y` */
const judgeCopy: Rule = (args, run) => {
  if (
    args.some(
      (word) => isBlockedFile(word) || (run.own.isInProgramFolder && findBlockedReason(word)),
    )
  )
    run.note("blocked", "makes a blocked program available under another name");
  const options = readOptions(args, {
    values: "tSgmo",
    flags: "*",
    long: ["target-directory", "suffix", "group", "mode", "owner"],
    longFlags: ["no-target-directory"],
    mixesOperands: true,
  });
  const folders = valuesFor(options, "t", "target-directory");
  for (const folder of folders) judgeWrittenFile(folder, false, run);
  const target = args.at(-1);
  if (target !== undefined && args.length > 1 && folders.length === 0)
    judgeWrittenFile(target, false, run);
};

const touch: Rule = (args, run) => {
  for (const path of args)
    if (path.startsWith("/dev/") || findTrust(path) !== undefined)
      judgeWrittenFile(path, false, run);
};

/** Judges reading a blocked program: `cat /bin/rm > x; ./x y`. Where the output goes is not followed. */
const judgeBlockedRead: Rule = (args, run, program) => {
  const isProgram = (word: string): boolean =>
    word.includes("/") && findBlockedArgumentReason(word, run.own.isInProgramFolder) !== undefined;
  if (getProgramName(program) === "cat" && args.some(isProgram))
    run.note("unknown", "reads a blocked program");
  if (args.some((word) => readsBlockedProgram(word, run)))
    run.note("blocked", "makes a blocked program available under another name");
};

function readsBlockedProgram(word: string, run: Run): boolean {
  if (run.own.isInProgramFolder && findBlockedReason(word) !== undefined) return true;
  if (!word.includes("/")) return false;
  const path = toAbsolute(word.replace(/^(?:file:|[\w-]+=)/i, ""), run.cwd);
  return path !== undefined && isBlockedSystemFile(path);
}

export const FILE_RULES: readonly [string, Rule][] = [
  ["tee", tee],
  ...registerRule("sort gsort", sort),
  ["uniq", uniq],
  ["tree", tree],
  ...registerRule(
    "cat gcat tac head tail nl bat base64 base32 xxd od hexdump gzip xz bzip2 zstd zcat pv tar gtar bsdtar zip cpio " +
      "ar objcopy strip patchelf upx split csplit curl wget scp cut paste",
    judgeBlockedRead,
  ),
  ...registerRule("touch mkdir", touch),
  ...registerRule("cp mv ln install gcp gmv gln rsync link", judgeCopy),
];

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
