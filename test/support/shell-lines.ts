// Owns lines that are hard to read, and running them in real shells to see what they do. Each line
// mentions a canary; whether it is data or a command depends on how a shell reads the line.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** No program of any list; in the folder of a run it leaves a mark. */
export const CANARY = "canary";

/** Enough for a batch on a busy machine; no line of the grammar waits for anything. */
const BATCH_TIMEOUT_MS = 120_000;
/** A batch prints some kilobytes a line at most. */
const MAX_OUTPUT_BYTES = 2 ** 28;
const MAX_TOKENS = 9;

const COMMANDS = "echo ls pwd cat".split(" ");
/** What a line may begin with, so that most of it is arguments. */
const OPENINGS = [
  ...COMMANDS.map((command) => `${command} `),
  "echo a; ",
  "(",
  "{ ",
  "! ",
  "time ",
  "if ls; then ",
  "for x in a 'b c'; do ",
  "case a in a) ",
  "ls | ",
  ">/dev/null ",
  "x=1 ",
  "",
];
/** Closers of the openings, and of nothing. */
const ENDINGS = ["", "", "", ")", "; }", "; fi", "; done", ";; esac", " #", " #'", "'", '"', "\nE"];
const SIGNS = [
  ..."' \" \\ $ # ; & | < > ( ) { } [ ] * ? ~ ^ ! = , : % @ + -".split(" "),
  ..."&& || ;; ;& ;| &> &>> >& |& &! &| >> >| >! <> <& <<< << <<- <( >( =( $( $' $\" \\' \\\" \\\\ '' \"\"".split(
    " ",
  ),
  ..."$x ${x} $x[1] $x:h ${x:-a} ${x:- ${x/ ${(e)x} ${(e): ${=x} ${~x} ${^x} ${${x}} ${x} $~x $=x $^x $#x $10 $[ $(( )) 1+1 $@".split(
    " ",
  ),
  ..."*(e: *(+ *(N) a( () ** <-> <1-9> =ls =canary {a,b} {a..c} {} @{0} !! !e ^a^b ~+ ~- 2>&1 12> >/dev/null &>/dev/null </dev/null".split(
    " ",
  ),
  "if",
  "then",
  "fi",
  "do",
  "done",
  "in",
  "case",
  "esac",
  "function f",
  "f()",
  "coproc",
  "select x",
  "repeat 1",
  "noglob",
  "-",
  "a+=b",
  "a[0]=b",
  "a=(b)",
  "[[",
  "]]",
  "((",
  "<<E\n",
  "<<'E'\n",
  "\nE\n",
  "\n",
  "\\\n",
  "\t",
  "\r",
  "\u00A0",
  "é",
];
const CANARIES = [CANARY, `${CANARY} `, `;${CANARY};`, `; ${CANARY} #`, `\n${CANARY}\n`, `>w`];
const QUOTES = [
  ...'\'…\' \'…\' \'…\' \'…\' \'…\' "…" "…" "…" "…" "…" a a.b -1 $x "$x" * {a,…} {…} @{0} HEAD^'.split(
    " ",
  ),
  ..."$'…' $\"…\" ${x:-…} ${x#…} ${x/…} ${(e)…} $((…)) $[…] <(…) =(…) *(…) ?.a \\; \\' ~ a=b <<<a".split(
    " ",
  ),
  CANARY,
  CANARY,
];
const REDIRECTS = [
  ...">/dev/null 2>/dev/null 2>&1 &>/dev/null >&/dev/null &>>/dev/null </dev/null <>/dev/null <<<a".split(
    " ",
  ),
  "<<E\nE",
  "<<'E'\n$x\nE",
];
const SEPARATORS = ["; ", " && ", " || ", " | ", " |& ", " & ", "\n"];
const FRAMES = [
  "…",
  "…",
  "(…)",
  "{ …; }",
  "if ls; then …; fi",
  "for x in a 'b c'; do …; done",
  "case a in a) …;; esac",
  "! …",
  "time …",
  "# …\necho a",
];
const GLUE = ["", "", " "];

/** Returns a source of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a line that mentions the canary, or a file that it might write. A third is signs in any
 * order; the others are well-formed commands, most of them with a sign put somewhere.
 */
export function randomLine(random: () => number): string {
  const dice = new Dice(random);
  if (dice.chance(0.3)) return randomSigns(dice);
  let line = randomList(dice);
  for (let count = dice.upTo(3); count > 0; count--) {
    const at = dice.upTo(line.length + 1);
    line = line.slice(0, at) + dice.pick(dice.chance(0.2) ? CANARIES : SIGNS) + line.slice(at);
  }
  return line;
}

class Dice {
  readonly #random: () => number;
  constructor(random: () => number) {
    this.#random = random;
  }
  chance(share: number): boolean {
    return this.#random() < share;
  }
  /** A whole number below the limit. */
  upTo(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
  pick(list: readonly string[]): string {
    return list[this.upTo(list.length)] ?? "";
  }
  /** One to `most` of them. */
  several(most: number, make: () => string): string[] {
    return Array.from({ length: 1 + this.upTo(most) }, make);
  }
}

function randomSigns(dice: Dice): string {
  const tokens = dice.several(MAX_TOKENS, () => dice.pick(dice.chance(0.2) ? COMMANDS : SIGNS));
  tokens.splice(dice.upTo(tokens.length + 1), 0, dice.pick(CANARIES));
  const line = tokens.map((token) => token + dice.pick(GLUE)).join("");
  return dice.pick(OPENINGS) + line + dice.pick(ENDINGS);
}

function randomList(dice: Dice): string {
  const list = dice.several(3, () => randomCommand(dice)).join(dice.pick(SEPARATORS));
  const [before = "", after = ""] = dice.pick(FRAMES).split("…");
  return before + list + after;
}

function randomCommand(dice: Dice): string {
  const words = dice.several(3, () => randomWord(dice));
  if (dice.chance(0.3)) words.push(dice.pick(REDIRECTS));
  if (dice.chance(0.2)) words.push(dice.chance(0.5) ? CANARY : randomWord(dice));
  if (dice.chance(0.1)) words.push(`# ${inside(dice, "\n")}`);
  return [dice.pick(COMMANDS), ...words].join(" ");
}

/** Pieces without a blank between them. */
function randomWord(dice: Dice): string {
  return dice
    .several(2, () => {
      const [before, after] = dice.pick(QUOTES).split("…");
      if (after === undefined) return before ?? "";
      const quoted = inside(dice, after.at(-1) ?? "");
      return `${before}${quoted}${after}`;
    })
    .join("");
}

/** Text for between quotes that does not end them, unless behind a backslash. */
function inside(dice: Dice, close: string): string {
  return dice
    .several(4, () => {
      const sign = dice.pick(dice.chance(0.4) ? CANARIES : SIGNS);
      return dice.chance(0.1) ? `\\${close}` : sign.replaceAll(close, "");
    })
    .join("");
}

export interface ShellProgram {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Each line is the input of a shell of its own, as a person would type it. */
  readonly isInteractive?: true;
}

/** Reads each line in a shell of its own; a syntax error ends that one alone. */
const EACH_LINE = `
for line in "$LINES_FOLDER"/*; do
  LINE=\${line##*/}; export LINE
  ( cd "$WORK_FOLDER/$LINE" || exit; . "$line"; wait ) </dev/null 2>&1
done`;

/** Runs each line in its own empty folder; returns those that ran the canary or left a file. */
export function findActing(lines: readonly string[], shell: ShellProgram): string[] {
  const root = mkdtempSync(join(tmpdir(), "pairpty-lines-"));
  try {
    const folders = {
      BIN: join(root, "bin"),
      LINES_FOLDER: join(root, "lines"),
      WORK_FOLDER: join(root, "work"),
      MARKS_FOLDER: join(root, "marks"),
    };
    for (const folder of Object.values(folders)) mkdirSync(folder);
    const canary = join(folders.BIN, CANARY);
    writeFileSync(canary, '#!/bin/sh\n: > "$MARKS_FOLDER/$LINE"\n');
    chmodSync(canary, 0o755);
    for (const name of COMMANDS) linkProgram(name, folders.BIN);
    const names = lines.map((_line, index) => String(index).padStart(6, "0"));
    for (const [index, name] of names.entries()) {
      writeFileSync(join(folders.LINES_FOLDER, name), `${lines[index] ?? ""}\n`);
      mkdirSync(join(folders.WORK_FOLDER, name));
    }
    const env = { ...folders, PATH: folders.BIN, HOME: root, LC_ALL: "C.UTF-8" };
    if (shell.isInteractive === true) {
      for (const name of names) {
        const cwd = join(folders.WORK_FOLDER, name);
        const input = join(folders.LINES_FOLDER, name);
        runShell(shell.argv, { cwd, env: { ...env, LINE: name }, input });
      }
    } else {
      runShell([...shell.argv, "-c", EACH_LINE], { cwd: root, env, input: "/dev/null" });
    }
    const isActing = (name: string): boolean =>
      existsSync(join(folders.MARKS_FOLDER, name)) ||
      readdirSync(join(folders.WORK_FOLDER, name)).length > 0;
    return names.flatMap((name, index) => (isActing(name) ? [lines[index] ?? ""] : []));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface ShellRun {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** A file: a pipe breaks where a shell ends before it has read everything. */
  readonly input: string;
}

function runShell(argv: readonly [string, ...string[]], { cwd, env, input }: ShellRun): void {
  const [file, ...args] = argv;
  const stdin = openSync(input, "r");
  try {
    const { error } = spawnSync(file, args, {
      cwd,
      env,
      stdio: [stdin, "pipe", "pipe"],
      timeout: BATCH_TIMEOUT_MS,
      killSignal: "SIGKILL",
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    if (error !== undefined) throw error;
  } finally {
    closeSync(stdin);
  }
}

/** Looks a program up in PATH. */
export function findInPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Some are builtins, and not everywhere a file. */
function linkProgram(name: string, folder: string): void {
  const path = findInPath(name);
  if (path !== undefined) symlinkSync(path, join(folder, name));
}
