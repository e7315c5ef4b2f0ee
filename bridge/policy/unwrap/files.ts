// Owns programs that do harm by a file: those of the safe list that can write one, and copies that give
// a blocked program a new name.

import {
  blockedArgument,
  blockedBecause,
  isBlockedFile,
  isBlockedSystemFile,
  programName,
} from "../names.ts";
import { absolute, isTrustedFile } from "../paths.ts";
import { judgeWrite } from "../redirects.ts";
import { named, type Rule, type Run } from "../run.ts";
import { readOptions, valuesFor } from "./options.ts";

const tee: Rule = (args, run) => {
  const options = readOptions(args, {
    flags: "aip",
    longFlags: ["append", "ignore-interrupts", "output-error"],
    mixed: true,
  });
  for (const path of options.operands) judgeWrite(path, false, run);
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
    mixed: true,
  });
  for (const path of valuesFor(options, "o", "output")) judgeWrite(path, false, run);
  for (const program of valuesFor(options, "compress-program")) run.aside().shell(program);
};

/** Judges uniq: a second operand is a file that it writes. */
const uniq: Rule = (args, run) => {
  const { operands } = readOptions(args, {
    values: "fsw",
    flags: "*",
    long: ["skip-fields", "skip-chars", "check-chars"],
    mixed: true,
  });
  if (operands[1] !== undefined) judgeWrite(operands[1], false, run);
};

const tree: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "oLPIHT",
    flags: "*",
    long: ["filelimit", "charset", "timefmt", "sort", "fromfile", "output"],
    mixed: true,
  });
  for (const path of valuesFor(options, "o", "output")) judgeWrite(path, false, run);
};

/** Judges copies of blocked programs: `cp /bin/rm x; ./x y` */
const copies: Rule = (args, run) => {
  if (args.some((word) => isBlockedFile(word) || (run.own.isAmongPrograms && blockedBecause(word))))
    run.note("blocked", "makes a blocked program available under another name");
  const options = readOptions(args, {
    values: "tSgmo",
    flags: "*",
    long: ["target-directory", "suffix", "group", "mode", "owner"],
    longFlags: ["no-target-directory"],
    mixed: true,
  });
  const folders = valuesFor(options, "t", "target-directory");
  for (const folder of folders) judgeWrite(folder, false, run);
  const target = args.at(-1);
  if (target !== undefined && args.length > 1 && folders.length === 0)
    judgeWrite(target, false, run);
};

const touch: Rule = (args, run) => {
  for (const path of args)
    if (path.startsWith("/dev/") || isTrustedFile(path)) judgeWrite(path, false, run);
};

/** Judges reading a blocked program: `cat /bin/rm > x; ./x y`. Where the output goes is not followed. */
const reads: Rule = (args, run, program) => {
  const isProgram = (word: string): boolean =>
    word.includes("/") && blockedArgument(word, run.own.isAmongPrograms) !== undefined;
  if (programName(program) === "cat" && args.some(isProgram))
    run.note("unknown", "reads a blocked program");
  if (args.some((word) => readsBlocked(word, run)))
    run.note("blocked", "makes a blocked program available under another name");
};

function readsBlocked(word: string, run: Run): boolean {
  if (run.own.isAmongPrograms && blockedBecause(word) !== undefined) return true;
  if (!word.includes("/")) return false;
  const path = absolute(word.replace(/^(?:file:|[\w-]+=)/i, ""), run.cwd);
  return path !== undefined && isBlockedSystemFile(path);
}

export const FILE_RULES: readonly [string, Rule][] = [
  ["tee", tee],
  ...named("sort gsort", sort),
  ["uniq", uniq],
  ["tree", tree],
  ...named(
    "cat gcat tac head tail nl bat base64 base32 xxd od hexdump gzip xz bzip2 zstd zcat pv tar gtar bsdtar zip cpio " +
      "ar objcopy strip patchelf upx split csplit curl wget scp cut paste",
    reads,
  ),
  ...named("touch mkdir", touch),
  ...named("cp mv ln install gcp gmv gln rsync link", copies),
];
