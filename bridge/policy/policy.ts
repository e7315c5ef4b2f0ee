// Owns the command policy's two questions: what is this command, what is this shell line? Pure: reads
// no disk and starts nothing. It is a guard rail; isolation is the wall. Parsing, walking and the rules
// for each program are beside it.

import { judgeVariable } from "./assignments.ts";
import { oddities } from "./characters.ts";
import { hasRule, judgeCommand } from "./command.ts";
import { type Engine, Inspection } from "./inspection.ts";
import { type CommandLists, SEED_LISTS } from "./lists.ts";
import { withoutMarks } from "./marks.ts";
import { OwnFolders } from "./own.ts";
import { Scope } from "./scope.ts";
import { judgeBlocked, judgeRaw, judgeText } from "./text.ts";
import type { Judgement } from "./verdict.ts";

export interface PolicyContext {
  /** Variables the request adds. They are judged, and known to the words of a shell line. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the command will run; absolute, links resolved. */
  readonly cwd?: string;
  /** pairpty's folders (config, state, runtime): no agent's path may lead there. */
  readonly ownFolders?: readonly string[];
  /** Where pairpty itself is installed: an agent may read it, and neither run nor change it. */
  readonly ownProgram?: string;
  /** What the user calls safe and dangerous; seed 004's lists without it. */
  readonly lists?: CommandLists;
  /** What `~` means; guessed from `ownFolders` without it. */
  readonly home?: string;
  /** It is typed into a terminal: the shell there is interactive, and any shell. */
  readonly isTyped?: boolean;
}

/** As for shell text (text.ts). */
export const MAX_LENGTH = 64 * 1024;

const ENGINE: Engine = { command: judgeCommand, text: judgeText, hasRule };

/** A program run directly, without a shell: its arguments are data unless the program runs them. */
export function judgeArgv(argv: readonly string[], context: PolicyContext = {}): Judgement {
  const words = argv.map(withoutMarks);
  const raw = words.join(" ");
  return judge(context, (run) => {
    judgeBlocked(raw, run);
    for (const { verdict, why } of oddities(raw)) run.note(verdict, why);
    if (raw.length > MAX_LENGTH) run.note("dangerous", "longer than 64 KiB");
    run.follow(raw, () => {
      run.argv(words);
      const [line] = words;
      // Clients put a whole line where the program belongs, and something will split it.
      if (words.length === 1 && line !== undefined && /\s/.test(line)) run.shell(line);
    });
  });
}

/** A line, or several, that a shell will read. */
export function judgeShell(text: string, context: PolicyContext = {}): Judgement {
  const line = withoutMarks(text);
  return judge(context, (run) => {
    if (!run.follow(line, () => run.shell(line))) judgeRaw(line, run);
  });
}

function judge(context: PolicyContext, command: (run: Inspection) => void): Judgement {
  const { env = {}, cwd, ownFolders = [], ownProgram, lists = SEED_LISTS } = context;
  const { home = env["HOME"], isTyped = false } = context;
  const scope = new Scope();
  const own = new OwnFolders({ folders: ownFolders, program: ownProgram, cwd, home });
  if (own.home !== undefined) scope.set("HOME", [own.home]);
  if (cwd !== undefined) scope.set("PWD", [cwd]);
  const run = Inspection.begin({ engine: ENGINE, own, cwd, lists, isTyped }, scope);
  if (cwd !== undefined) judgeFolder(cwd, run);
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name)) run.note("dangerous", "an invalid variable name");
    const text = withoutMarks(value);
    scope.set(name, [text]);
    // Each by itself: what one of them takes in steps leaves the others' names judged.
    run.follow(text, () => judgeVariable(name, text, run));
    judgeVariableText(text, run);
  }
  command(run);
  return run.ledger.judgement();
}

function judgeFolder(cwd: string, run: Inspection): void {
  if (!cwd.startsWith("/")) run.note("unknown", "a folder that is not absolute");
  if (run.own.relation(cwd) === "inside" || run.own.isOfProgram(cwd))
    run.ours("a path into pairpty's folders");
}

/** Shells expand some variables again (`PS1`, arithmetic), so a hidden substitution counts. */
function judgeVariableText(value: string, run: Inspection): void {
  for (const { verdict, why } of oddities(value)) run.note(verdict, why);
  if (value.includes("$(") || value.includes("`"))
    run.note("blocked", "a variable's value contains a command that a shell would run");
}
