// Owns one judgement in progress: its ledger, its limits and its current place in the nesting.
// Implements `Run` for the rules; the functions that judge a command or a script are passed in
// (policy.ts).

import type { CommandLists } from "./command-lists.ts";
import { findHarmInCode } from "./irreversible/harmful-code.ts";
import type { OwnFolders } from "./own-folders.ts";
import { isOwnName } from "./own-folders.ts";
import type { Scope } from "./parameter-expansion.ts";
import {
  findBlockedArgumentReason,
  findBlockedReason,
  findDangerousReason,
  toRuleName,
} from "./program-names.ts";
import type { NoteOptions, Run } from "./rule.ts";
import { formatCall } from "./rule.ts";
import { findBlockedWord, isPairptyWord } from "./text-patterns.ts";
import { gluedValues } from "./unwrap/getopt.ts";
import type { Verdict } from "./verdict.ts";
import { FindingLedger } from "./verdict.ts";
import { UNKNOWN_VALUE } from "./word-marks.ts";

export interface Engine {
  readonly command: (argv: readonly string[], run: Run) => void;
  readonly text: (text: string, run: Run) => void;
  /** Whether a program has a rule, and so could run something else. */
  readonly hasRule: (name: string) => boolean;
}

/** Shells in shells, wrappers in wrappers. */
export const MAX_DEPTH = 24;
/**
 * Commands and texts in one judgement, long ones counted more: about 0.1 s in the worst case. What is
 * nested too deep counts as well: `find . -exec find . -exec …` has as many ends as words, at each
 * depth.
 */
export const MAX_STEPS = 4096;
const WORDS_PER_STEP = 16;
const CHARACTERS_PER_STEP = 256;
/** A longer command is cut: the rest counts as data, and the command as not understood. */
export const MAX_WORDS = 1024;
/** Maximum of texts remembered because the script prints them; a person does not read a line with more. */
const MAX_PRINTED = 256;
/** Arguments that a sweep looks at. */
const MAX_SWEEP = 64;
/**
 * Characters times steps of the user's own patterns in one judgement: about 40 ns each in the worst
 * case. A dozen patterns over a line of 60 KiB stay below it.
 */
const MAX_MATCHING = 12_000_000;

/** Thrown when the judgement has used all its steps; `follow` catches it. */
class StepsExhausted extends Error {}

interface InspectionContext {
  readonly engine: Engine;
  readonly own: OwnFolders;
  readonly cwd: string | undefined;
  readonly lists: CommandLists;
  readonly isTyped?: boolean;
}

interface InspectionState extends InspectionContext {
  readonly ledger: FindingLedger;
  readonly seen: Set<string>;
  readonly printed: string[];
  steps: number;
  matching: number;
}

interface InspectionPosition {
  readonly depth: number;
  readonly piped: boolean;
  readonly stdin: readonly string[];
  readonly scope: Scope;
  readonly aside: boolean;
  /** The words of the command that is judged; undefined for shell text. */
  readonly argv: readonly string[] | undefined;
}

export class Inspection implements Run {
  readonly #shared: InspectionState;
  readonly #position: InspectionPosition;

  private constructor(shared: InspectionState, place: InspectionPosition) {
    this.#shared = shared;
    this.#position = place;
  }

  static begin(start: InspectionContext, scope: Scope): Inspection {
    const seen = new Set<string>();
    const shared = {
      ...start,
      ledger: new FindingLedger(),
      seen,
      printed: [],
      steps: 0,
      matching: 0,
    };
    const place = { depth: 0, piped: false, stdin: [], scope, aside: false, argv: undefined };
    return new Inspection(shared, place);
  }

  /** Runs `judge`; returns false if the steps ran out. `raw` is the text that it judges. */
  follow(raw: string, judge: () => void): boolean {
    try {
      judge();
      return true;
    } catch (error) {
      if (!(error instanceof StepsExhausted)) throw error;
      this.#noteTooFar(raw);
      return false;
    }
  }

  get ledger(): FindingLedger {
    return this.#shared.ledger;
  }
  get own(): OwnFolders {
    return this.#shared.own;
  }
  get cwd(): string | undefined {
    return this.#shared.cwd;
  }
  get lists(): CommandLists {
    return this.#shared.lists;
  }
  get isPiped(): boolean {
    return this.#position.piped;
  }
  get stdin(): readonly string[] {
    return this.#position.stdin;
  }
  get printed(): readonly string[] {
    return this.#shared.printed;
  }
  get isCertain(): boolean {
    return !this.#position.aside;
  }
  get isTyped(): boolean {
    return this.#shared.isTyped ?? false;
  }
  get scope(): Scope {
    return this.#position.scope;
  }

  /** Adds a finding. Only `terminal.dangerousCommands` gives it the level `dangerous`. */
  note(verdict: Verdict, why: string, options: NoteOptions = {}): void {
    const { argv, aside } = this.#position;
    if (aside && verdict !== "dangerous" && verdict !== "blocked") {
      // Adds no reason, but a call without this kind counts as different.
      if (verdict === "unknown") this.noteKind(options.kind ?? why);
      return;
    }
    const program = argv?.[0] === undefined ? undefined : toRuleName(argv[0]);
    const finding = { program, ...options, call: argv?.join("\0") };
    this.#shared.ledger.note(verdict, why, aside ? { ...finding, level: "safe" } : finding);
  }

  callText(subCommands = 0): string {
    const { argv } = this.#position;
    return argv === undefined ? "this line" : formatCall(argv, subCommands);
  }

  noteKind(kind: string): void {
    this.#shared.ledger.addKind(kind);
  }

  notePatterns(text: string): void {
    for (const { source, steps, matches } of this.lists.expressions) {
      this.#shared.matching += steps * text.length;
      if (this.#shared.matching > MAX_MATCHING) {
        return this.note("dangerous", "too long to check against your own patterns", {
          level: "dangerous",
        });
      }
      if (matches(text)) this.note("dangerous", `pattern: ${source}`, { level: "dangerous" });
    }
  }

  rememberPrinted(text: string): void {
    if (this.#shared.printed.length < MAX_PRINTED) this.#shared.printed.push(text);
  }

  noteOwn(why: string): void {
    this.#shared.ledger.markAboutPairpty();
    this.note("blocked", why);
  }

  noteBlockedWord(word: string, why: string): void {
    if (isPairptyWord(word)) this.noteOwn(why);
    else this.note("blocked", why);
  }

  judgeArgv(whole: readonly string[]): void {
    const argv = whole.length > MAX_WORDS ? this.#cutWords(whole) : whole;
    const { piped, stdin, aside } = this.#position;
    // Several rules can lead to the same command, mostly sweeps; judging it once is enough.
    const key = stdin.length > 0 ? "" : `${piped ? 1 : 0}${aside ? 1 : 0}${argv.join("\0")}`;
    if (key !== "" && this.#shared.seen.has(key)) return;
    if (!this.#countStep(argv.length / WORDS_PER_STEP, () => argv.join(" "))) return;
    if (key !== "") this.#shared.seen.add(key);
    this.#shared.engine.command(
      argv,
      this.#withPosition({ depth: this.#position.depth + 1, argv }),
    );
  }

  judgeShellText(text: string, positional: readonly string[] = []): void {
    // Each expansion may have many values, and multiplies those of the text around it.
    const expansions = text.split("$").length - 1;
    if (!this.#countStep(text.length / CHARACTERS_PER_STEP + expansions, () => text)) return;
    let scope = this.#position.scope;
    if (positional.length > 0) {
      scope = scope.createChild();
      scope.set("@", positional.slice(1));
      for (const [index, value] of positional.entries()) scope.set(String(index), [value]);
    }
    // The outer command does not read this text, so its standard input stays the same.
    const place = { depth: this.#position.depth + 1, scope, argv: undefined };
    this.#shared.engine.text(text, this.#withPosition(place));
  }

  judgeCode(text: string): void {
    this.note("unknown", "inline code (not checked)");
    const word = findBlockedWord(text);
    if (word !== undefined) this.noteBlockedWord(word, `inline code contains ${word}`);
    const harm = findHarmInCode(text);
    if (harm !== undefined) this.note("dangerous", `inline code that ${harm}`);
    if (this.own.isProgramNamedIn(text)) this.noteOwn("inline code that runs pairpty itself");
  }

  judgeEveryStart(args: readonly string[]): void {
    if (args.length > MAX_SWEEP) this.note("dangerous", "too many arguments to check");
    const aside = this.asPossible();
    for (const [index, word] of args.slice(0, MAX_SWEEP).entries()) {
      const runs =
        findBlockedArgumentReason(word, this.own.isInProgramFolder) !== undefined ||
        isOwnName(word) ||
        (index < args.length - 1 && findDangerousReason(word) !== undefined) ||
        this.#shared.engine.hasRule(toRuleName(word));
      if (runs) aside.judgeArgv(args.slice(index));
      const text = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
      for (const glued of gluedValues(word)) {
        if (/\s/.test(glued)) aside.judgeShellText(glued);
        else if (glued.length > 2 && findBlockedReason(glued)) aside.judgeArgv([glued]);
      }
      if (/[\s;|&]/.test(text)) aside.judgeShellText(text);
      else if (text !== word && findBlockedReason(text)) aside.judgeArgv([text]);
    }
  }

  asPossible(): Inspection {
    return this.#position.aside ? this : this.#withPosition({ aside: true });
  }

  withStdin(piped: boolean, stdin: readonly string[]): Inspection {
    return this.#withPosition({ piped, stdin });
  }

  #cutWords(argv: readonly string[]): readonly string[] {
    this.note("dangerous", "too many words to check");
    const word = findBlockedWord(argv.slice(MAX_WORDS).join(" "));
    if (word !== undefined)
      this.noteBlockedWord(word, `contains ${word} among too many words to check`);
    return argv.slice(0, MAX_WORDS);
  }

  #withPosition(change: Partial<InspectionPosition>): Inspection {
    return new Inspection(this.#shared, { ...this.#position, ...change });
  }

  /** Counts a step. Returns false if it is nested too deep to judge; throws if the steps ran out. */
  #countStep(extra: number, describe: () => string): boolean {
    this.#shared.steps += 1 + extra;
    const isSpent = this.#shared.steps >= MAX_STEPS;
    if (!isSpent && this.#position.depth < MAX_DEPTH) return true;
    this.#noteTooFar(describe());
    // The rules on the way here may have more to judge: stop all of them.
    if (isSpent) throw new StepsExhausted();
    return false;
  }

  #noteTooFar(text: string): void {
    const { ledger } = this.#shared;
    ledger.note("dangerous", "too long or too deeply nested to check");
    const word = findBlockedWord(text.replaceAll(UNKNOWN_VALUE, ""));
    if (word === undefined) return;
    if (isPairptyWord(word)) ledger.markAboutPairpty();
    ledger.note("blocked", `names ${word}, nested too deeply to check`);
  }
}
