// Owns interpreters: code in an option, code on standard input, and the file that they run. The
// contents of a file are not judged; `terminal.safeCommands` has `node`.

import { isListedTool, judgeIrreversible } from "../irreversible/judge-irreversible.ts";
import { PROGRAM_OUTPUT } from "../word-marks.ts";
import { isOwnName, isOwnScript } from "../own-folders.ts";
import { isStdin } from "../path-text.ts";
import type { Rule, Run } from "../rule.ts";
import { type Options, type OptionShape, hasOption, readOptions, valuesFor } from "./getopt.ts";
import { judgeRunFile, judgeStdin } from "./shell-programs.ts";

interface Interpreter extends OptionShape {
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** Options with which it needs neither a file nor standard input. */
  readonly alone?: readonly string[];
}

const NODE: Interpreter = {
  values: "erpC",
  flags: "*",
  long: [
    "eval",
    "print",
    "require",
    "import",
    "loader",
    "experimental-loader",
    "env-file",
    "conditions",
    "input-type",
    "run",
    "disable-warning",
    "unhandled-rejections",
    "dns-result-order",
    "test-name-pattern",
    "test-skip-pattern",
    "test-concurrency",
    "test-timeout",
    "test-shard",
    "test-reporter",
    "test-reporter-destination",
    "test-isolation",
    "experimental-test-isolation",
    "env-file-if-exists",
    "watch-path",
    "title",
    "icu-data-dir",
    "openssl-config",
    "redirect-warnings",
    "diagnostic-dir",
  ],
  longFlags: [
    "version",
    "help",
    "test",
    "check",
    "watch",
    "inspect",
    "inspect-brk",
    "test-only",
    "enable-source-maps",
    "expose-gc",
  ],
  code: ["e", "p", "eval", "print"],
  alone: ["v", "h", "version", "help", "test", "run", "check", "c"],
};

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  node: NODE,
  nodejs: NODE,
  python: {
    values: "cmWXQ",
    flags: "*",
    long: ["check-hash-based-pycs"],
    code: ["c"],
    alone: ["m", "V", "h", "version", "help"],
  },
  pypy: { values: "cmWX", flags: "*", code: ["c"], alone: ["m", "V", "h"] },
  ipython: { values: "cm", flags: "*", code: ["c"], alone: ["m", "V", "h"] },
  jython: { values: "cm", flags: "*", code: ["c"], alone: ["m", "V", "h"] },
  erl: { flags: "*", long: ["eval"], code: ["eval"] },
  perl: { values: "eEIMm", flags: "*", code: ["e", "E"], alone: ["v", "V", "h"] },
  ruby: { values: "erIC", flags: "*", long: ["encoding"], code: ["e"], alone: ["v", "h"] },
  php: {
    values: "rBREfFdczStq",
    flags: "*",
    long: ["run", "file"],
    code: ["r", "B", "R", "E", "run"],
    alone: ["v", "m", "i", "h", "f", "S"],
  },
  lua: { values: "el", flags: "*", code: ["e"], alone: ["v"] },
  luajit: { values: "eljbO", flags: "*", code: ["e"], alone: ["v"] },
  osascript: { values: "els", flags: "*", code: ["e"] },
  rscript: { values: "e", flags: "*", code: ["e"] },
  r: { values: "ef", flags: "*", code: ["e"] },
  julia: {
    values: "eELJt",
    flags: "*",
    long: ["eval", "print", "project"],
    code: ["e", "E", "eval", "print"],
  },
  elixir: { values: "erSp", flags: "*", long: ["eval"], code: ["e", "eval"] },
  groovy: { values: "ecD", flags: "*", code: ["e"] },
  scala: { values: "ei", flags: "*", code: ["e"] },
  ghc: { values: "e", flags: "*", code: ["e"] },
  guile: { values: "celL", flags: "*", code: ["c", "e"] },
  emacs: {
    values: "flLu",
    flags: "*",
    long: ["eval", "execute", "load", "funcall"],
    code: ["eval", "execute", "f", "funcall"],
  },
  irb: { values: "rI", flags: "*", code: [] },
  iex: { values: "erS", flags: "*", long: ["eval"], code: ["e", "eval"] },
  ghci: { values: "e", flags: "*", code: ["e"] },
  gnuplot: { values: "e", flags: "*", code: ["e"] },
  octave: { flags: "*", long: ["eval"], code: ["eval"] },
  m4: { values: "DIUFR", flags: "*", code: ["D"] },
  tclsh: { flags: "*", code: [] },
  wish: { flags: "*", code: [] },
  expect: { values: "cf", flags: "*", code: ["c"] },
};

/** Judges an interpreter; an option with code may end a cluster: `perl -lane`, `ruby -ne`, `node -pe`. */
const interpret =
  (shape: Interpreter): Rule =>
  (args, run) => {
    const options = readOptions(args, shape);
    const code = valuesFor(options, ...shape.code);
    for (const text of code) run.judgeCode(text);
    for (const [index, word] of args.entries()) {
      // `emacs -eval` accepts a single dash.
      if (/^-\w{2,}$/.test(word) && shape.code.includes(word.slice(1)))
        run.judgeCode(args[index + 1] ?? "");
      // `perl '-Mstrict;code'`: an option that contains code.
      if (/(?:^|=)data:/i.test(word) || /^-[^\s(;'"]*[(;]/.test(word)) run.judgeCode(word);
    }
    judgeModule(options, args, run);
    // `-p` before `-e` takes no text of its own, also in a cluster.
    if (code.length > 0)
      return options.operands.forEach((word) => run.asPossible().judgeCode(word));
    const [file] = options.operands;
    if (file === undefined || isStdin(file)) {
      if (shape.alone !== undefined && hasOption(options, ...shape.alone)) return;
      run.note("unknown", "runs code known only at run time");
      const judge = (text: string): void => run.judgeCode(text);
      return file === undefined ? judgeStdin(run, judge) : judgeRunFile(file, run, judge);
    }
    if (file.includes(PROGRAM_OUTPUT))
      run.note("blocked", `${run.callText()} runs the output of another program`);
    if (isOwnScript(file, run.cwd)) run.noteOwn("runs or changes pairpty itself");
    const program = PACKAGE_FILE.exec(file)?.[1];
    if (program !== undefined) run.asPossible().judgeArgv([program, ...options.operands.slice(1)]);
    const script = file.slice(file.lastIndexOf("/") + 1);
    if (isListedTool(script))
      judgeIrreversible(script, options.operands.slice(1), run.asPossible());
  };

/** `node node_modules/.bin/rimraf x` runs rimraf. */
const PACKAGE_FILE = /(?:^|\/)node_modules\/(?:\.bin\/)?((?:@[^/]+\/)?[^/]+)/;

/** Modules of Python's library that run code from their arguments. */
const RUNS_CODE =
  /^(?:timeit|cProfile|profile|pdb|trace|code|asyncio|doctest|bdb|runpy|idlelib.*|IPython.*|pyperf|ptpython|bpython)$/;
const READS_CODE = /^(?:code|pdb|asyncio|IPython.*|ptpython|bpython)$/;

function judgeModule(options: Options, args: readonly string[], run: Run): void {
  const [module] = valuesFor(options, "m");
  if (module === undefined) return;
  // `python -m alembic downgrade`
  if (isListedTool(module)) judgeIrreversible(module, options.operands, run.asPossible());
  if (!RUNS_CODE.test(module)) return;
  for (const word of args) if (/[\s();]/.test(word)) run.judgeCode(word);
  if (READS_CODE.test(module)) judgeStdin(run, (text) => run.judgeCode(text));
}

const deno: Rule = (args, run) => {
  const [verb, ...rest] = args;
  if (verb === "eval") return run.judgeCode(rest.join(" "));
  if (verb === "run" && rest.includes("-")) return judgeStdin(run, (text) => run.judgeCode(text));
  const packaged = rest.findIndex((word) => word.startsWith("npm:"));
  if (packaged >= 0)
    run
      .asPossible()
      .judgeArgv(["npx", ...rest.slice(packaged)].map((word) => word.replace(/^npm:/, "")));
  const isOurs = rest.some((word) => isOwnName(word) || isOwnScript(word, run.cwd));
  if (isOurs) run.noteOwn("runs or changes pairpty itself");
};

export const INTERPRETER_RULES: readonly [string, Rule][] = [
  ...Object.entries(INTERPRETERS).map(([name, shape]): [string, Rule] => [name, interpret(shape)]),
  ["deno", deno],
  [
    "tsx",
    interpret({
      values: "er",
      flags: "*",
      long: ["eval", "require", "import", "tsconfig"],
      code: ["e", "eval"],
    }),
  ],
  ["zx", interpret({ flags: "*", long: ["eval", "shell", "prefix"], code: ["eval"] })],
  [
    "ts-node",
    interpret({
      values: "erPO",
      flags: "*",
      long: ["eval", "print", "require"],
      code: ["e", "eval"],
    }),
  ],
];
