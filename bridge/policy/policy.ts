// Owns the entry points of the command policy: judging a command and judging shell text. Pure: reads no
// disk and starts nothing. It is a guard rail; only a sandbox isolates. Parsing, walking and the rules
// for each program are beside it.

import { judgeVariable } from "./variable-rules.ts";
import { findUnusualCharacters } from "./text-patterns.ts";
import { hasRule, judgeCommand } from "./judge-command.ts";
import { type Engine, Inspection } from "./inspection.ts";
import { type CommandLists, DEFAULT_LISTS } from "./command-lists.ts";
import { replaceMarks } from "./word-marks.ts";
import { OwnFolders } from "./own-folders.ts";
import { Scope } from "./parameter-expansion.ts";
import { judgeBlocked, judgeRaw, judgeScriptText } from "./judge-text.ts";
import type { Judgement } from "./verdict.ts";

export interface PolicyContext {
  /** Variables that the request adds: they are judged, and a shell line may use them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the command will run; absolute, links resolved. */
  readonly cwd?: string;
  /** pairpty's folders (config, state, runtime): no agent's path may lead there. */
  readonly ownFolders?: readonly string[];
  /** Where pairpty itself is installed: an agent may read it, but neither run nor change it. */
  readonly ownProgram?: string;
  /** The user's safe and dangerous commands; the defaults without it. */
  readonly lists?: CommandLists;
  /** The folder that `~` expands to; without it, guessed from `ownFolders`. */
  readonly home?: string;
  /** The line is typed into a terminal: the shell there is interactive, and may be any shell. */
  readonly isTyped?: boolean;
}

/** The same limit as for shell text (judge-text.ts). */
export const MAX_LENGTH = 64 * 1024;

const ENGINE: Engine = { command: judgeCommand, text: judgeScriptText, hasRule };

/** Judges a program that runs without a shell: its arguments are data unless the program runs them. */
export function judgeArgv(argv: readonly string[], context: PolicyContext = {}): Judgement {
  const words = argv.map(replaceMarks);
  const raw = words.join(" ");
  return runJudgement(context, (run) => {
    judgeBlocked(raw, run);
    for (const { verdict, why } of findUnusualCharacters(raw)) run.note(verdict, why);
    if (raw.length > MAX_LENGTH) run.note("dangerous", "longer than 64 KiB");
    run.follow(raw, () => {
      run.judgeArgv(words);
      const [line] = words;
      // Some clients pass a whole line as the program, and a later step splits it.
      if (words.length === 1 && line !== undefined && /\s/.test(line)) run.judgeShellText(line);
    });
  });
}

/** Judges one or several lines that a shell will read. */
export function judgeShell(text: string, context: PolicyContext = {}): Judgement {
  const line = replaceMarks(text);
  return runJudgement(context, (run) => {
    if (!run.follow(line, () => run.judgeShellText(line))) judgeRaw(line, run);
  });
}

function runJudgement(context: PolicyContext, command: (run: Inspection) => void): Judgement {
  const { env = {}, cwd, ownFolders = [], ownProgram, lists = DEFAULT_LISTS } = context;
  const { home = env["HOME"], isTyped = false } = context;
  const scope = new Scope();
  const own = new OwnFolders({ folders: ownFolders, program: ownProgram, cwd, home });
  if (own.home !== undefined) scope.set("HOME", [own.home]);
  if (cwd !== undefined) scope.set("PWD", [cwd]);
  const run = Inspection.begin({ engine: ENGINE, own, cwd, lists, isTyped }, scope);
  if (cwd !== undefined) judgeFolder(cwd, run);
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) run.note("dangerous", "an invalid variable name");
    const text = replaceMarks(value);
    scope.set(name, [text]);
    // One `follow` for each: a value that uses up the steps must not leave other names unjudged.
    run.follow(text, () => judgeVariable(name, text, run));
    judgeVariableText(text, run);
  }
  command(run);
  return run.ledger.toJudgement();
}

function judgeFolder(cwd: string, run: Inspection): void {
  if (!cwd.startsWith("/")) run.note("unknown", "a folder that is not absolute");
  if (run.own.findRelation(cwd) === "inside" || run.own.isInProgram(cwd))
    run.noteOwn("a path into pairpty's folders");
}

/** Judges a value for substitutions: shells expand some variables again (`PS1`, arithmetic). */
function judgeVariableText(value: string, run: Inspection): void {
  for (const { verdict, why } of findUnusualCharacters(value)) run.note(verdict, why);
  if (value.includes("$(") || value.includes("`"))
    run.note("blocked", "a variable's value contains a command that a shell would run");
}
