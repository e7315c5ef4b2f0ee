// Owns the patterns over raw text: a verdict never falls below them, however the text is parsed. Every
// check is linear in the text. Does not parse.

import { BLOCKED_NAMES } from "./names.ts";

/** A pattern that matched, as people read it. */
export interface PatternHit {
  readonly why: string;
  /** The program that the pattern is about; a rule for that program gives a better reason [Q102]. */
  readonly program?: string;
}

interface Pattern extends PatternHit {
  readonly hits: (text: string) => boolean;
}

const by =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text);

const WIPE = /(?<!\w)rm\s+-(?:rf|fr|r\s+-f|f\s+-r)\s+["']?\//;
// These four are no devices; a longer name (`/dev/nullx`) may be one.
const DEVICE = />[|&]?\s*\/dev\/(?!(?:null|stdout|stderr|fd\/\d+)(?:$|[\s;&|()<>"'`\\]))/;
// Spaces and line breaks are matched separately, so that no run of them is scanned twice.
const EVAL = /(?:^|[;&|(){}\n])[ \t]*eval(?=\s|$)/;

export const NESTED_COMMAND = "runs a command inside this one ($(…) or backticks)";

/** The patterns that `spawn_background_terminal` always blocks. */
const SEED_000: readonly Pattern[] = [
  { why: "`rm -rf /…` deletes a whole folder by its absolute path", program: "rm", hits: by(WIPE) },
  { why: "writes to a device below /dev", hits: by(DEVICE) },
  { why: "pipes text into a shell, which runs it", hits: by(/\|&?\s*(?:sh|bash)(?![\w-])/) },
  { why: "`eval` runs its arguments as a command", program: "eval", hits: by(EVAL) },
  { why: NESTED_COMMAND, hits: (text) => text.includes("`") },
  // `$((` is arithmetic; the parser handles the cases where it is not (`$((ls); rm x)`).
  { why: NESTED_COMMAND, hits: by(/\$\((?!\()|\$\{[\s|]/) },
];

/**
 * Whether one line matches `start.*then.*last`, without the backtracking of that expression: the
 * earliest start and the latest end decide.
 */
function inOrder(text: string, start: RegExp, then: string, last: string): boolean {
  if (!start.test(text)) return false;
  return text.split("\n").some((line) => {
    const from = start.exec(line);
    if (from === null) return false;
    const middle = line.indexOf(then, from.index + from[0].length);
    if (middle < 0) return false;
    return line.indexOf(last, middle + then.length) >= 0;
  });
}

/** One expression of `terminal.dangerousCommands`, or one alternative of it. */
interface SeedExpression extends Pattern {
  /** The expression as the configuration writes it. */
  readonly seed: string;
  readonly starts?: RegExp;
}

/** The default of `terminal.dangerousCommands`. `.` never matches a line break there. */
const SEED_004: readonly SeedExpression[] = [
  {
    why: "`dd` can overwrite a device",
    program: "dd",
    seed: "(^|\\s)dd\\s",
    starts: /^dd/,
    hits: by(/(?:^|\s)dd\s/),
  },
  {
    why: "`rm -r` deletes folders",
    program: "rm",
    seed: "(^|\\s)rm.*-.*r",
    starts: /^rm/,
    hits: (text) => inOrder(text, /(?:^|\s)rm/, "-", "r"),
  },
  {
    why: "`chmod -R` changes the permissions of whole folders",
    program: "chmod",
    seed: "(^|\\s)chmod.*-.*r",
    starts: /^chmod/,
    hits: (text) => inOrder(text, /(?:^|\s)chmod/, "-", "r"),
  },
  {
    why: "`chown -R` changes the owner of whole folders",
    program: "chown",
    seed: "(^|\\s)chown.*-.*r",
    starts: /^chown/,
    hits: (text) => inOrder(text, /(?:^|\s)chown/, "-", "r"),
  },
  {
    why: "`rmdir` deletes folders",
    program: "rmdir",
    seed: "(^|\\s)rmdir\\s",
    starts: /^rmdir/,
    hits: by(/(?:^|\s)rmdir\s/),
  },
  {
    why: "`find -delete` deletes files",
    program: "find",
    seed: "find.*-(delete|exec)",
    hits: (text) => inOrder(text, /find/, "-delete", ""),
  },
  {
    why: "`find -exec` runs a program",
    seed: "find.*-(delete|exec)",
    hits: (text) => inOrder(text, /find/, "-exec", ""),
  },
  {
    why: "`sudo` runs as another user",
    program: "sudo",
    seed: "(^|\\s)sudo\\s",
    starts: /^sudo/,
    hits: by(/(?:^|\s)sudo\s/),
  },
  {
    why: "`del` can delete files",
    program: "del",
    seed: "(^|\\s)del\\s",
    starts: /^del/,
    hits: by(/(?:^|\s)del\s/),
  },
  {
    why: "`format` can format a disk",
    program: "format",
    seed: "(^|\\s)format\\s",
    starts: /^format/,
    hits: by(/(?:^|\s)format\s/),
  },
  {
    why: "`reboot` can stop the machine",
    program: "reboot",
    seed: "(^|\\s)reboot",
    starts: /^reboot/,
    hits: by(/(?:^|\s)reboot/),
  },
  {
    why: "`shutdown` can stop the machine",
    program: "shutdown",
    seed: "(^|\\s)shutdown",
    starts: /^shutdown/,
    hits: by(/(?:^|\s)shutdown/),
  },
  {
    why: "`git reset` can discard changes",
    program: "git",
    seed: "git.*reset",
    hits: (text) => inOrder(text, /git/, "reset", ""),
  },
];

// Fast path: nearly every text has none of these, and then no pattern can match.
const HAS_000 = /[|>`$]|rm|eval/;
const HAS_004 = /dd|rm|chmod|chown|find|sudo|del|format|reboot|shutdown|git/;

export function blockedPatterns(text: string): PatternHit[] {
  if (!HAS_000.test(text)) return [];
  return SEED_000.filter(({ hits }) => hits(text));
}

/** The default of `terminal.dangerousCommands`, in its order. */
export const SEED_DANGEROUS: readonly string[] = [...new Set(SEED_004.map(({ seed }) => seed))];

/** Returns the patterns that match the text; `counts` are the expressions that the user kept. */
export function dangerousPatterns(text: string, counts: ReadonlySet<string>): PatternHit[] {
  if (!HAS_004.test(text)) return [];
  return SEED_004.filter(({ hits, seed }) => counts.has(seed) && hits(text));
}

/** Returns the patterns that match one command; a program's name among its arguments does not count. */
export function dangerousCommand(text: string, counts: ReadonlySet<string>): PatternHit[] {
  if (!HAS_004.test(text)) return [];
  return SEED_004.filter(
    ({ hits, starts, seed }) => counts.has(seed) && (starts?.test(text) ?? true) && hits(text),
  );
}

const NAMES = BLOCKED_NAMES.map((name) => name.replaceAll("-", "\\-")).join("|");
const WHOLE_WORD = new RegExp(`(?<![\\w-])(?:${NAMES})(?![\\w-])`, "i");
const OUR_WORD = /(?<![\w-])pairpty(?![\w-])/i;

/**
 * Returns a blocked name that occurs as a whole word: for text that no parser here understands (code of
 * another language, broken or oversized shell text), where the position of a word means nothing.
 */
export function blockedWord(text: string): string | undefined {
  // pairpty's own name first: such a command is refused without a question, whatever else it contains.
  return OUR_WORD.exec(text)?.[0] ?? WHOLE_WORD.exec(text)?.[0];
}

/** Whether a word that `blockedWord` found is pairpty's own name. */
export function isOurWord(word: string): boolean {
  return OUR_WORD.test(word);
}
