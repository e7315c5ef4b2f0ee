// Owns the seeds' patterns over raw text: the floor below which no parse can argue a verdict.
// Every check is linear in the text. Does not parse.

import { BLOCKED_NAMES } from "./names.ts";

/** A pattern that a text has, for people. */
export interface PatternHit {
  readonly why: string;
  /** The program that the pattern is about: a rule about it says more [Q71]. */
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
// Only these four are not devices; a longer name (`/dev/nullx`) is.
const DEVICE = />[|&]?\s*\/dev\/(?!(?:null|stdout|stderr|fd\/\d+)(?:$|[\s;&|()<>"'`\\]))/;
// Blanks and line breaks are apart here so that no run of them is scanned twice.
const EVAL = /(?:^|[;&|(){}\n])[ \t]*eval(?=\s|$)/;

export const NESTED_COMMAND = "runs a command inside this one ($(…) or backticks)";

/** Seed 000, "Blocked patterns". */
const SEED_000: readonly Pattern[] = [
  { why: "`rm -rf /…` deletes a whole folder by its absolute path", program: "rm", hits: by(WIPE) },
  { why: "writes to a device below /dev", hits: by(DEVICE) },
  { why: "pipes text into a shell, which runs it", hits: by(/\|&?\s*(?:sh|bash)(?![\w-])/) },
  { why: "`eval` runs its arguments as a command", program: "eval", hits: by(EVAL) },
  { why: NESTED_COMMAND, hits: (text) => text.includes("`") },
  // `$((` is arithmetic; where it is not, the parser knows (`$((ls); rm x)`).
  { why: NESTED_COMMAND, hits: by(/\$\((?!\()|\$\{[\s|]/) },
];

/**
 * `first.*-.*last` on one line, as the seeds' expressions say it, without their backtracking:
 * the earliest start and the latest end decide.
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

/** One of seed 004's `dangerousCommands`, or half of one. */
interface SeedExpression extends Pattern {
  /** As the seed writes it. */
  readonly seed: string;
  readonly starts?: RegExp;
}

/** Seed 004, `dangerousCommands`. `.` never crosses a line there. */
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

// Nearly every text has none of these, and then no pattern can hit: one pass instead of twenty.
const HAS_000 = /[|>`$]|rm|eval/;
const HAS_004 = /dd|rm|chmod|chown|find|sudo|del|format|reboot|shutdown|git/;

export function blockedPatterns(text: string): PatternHit[] {
  if (!HAS_000.test(text)) return [];
  return SEED_000.filter(({ hits }) => hits(text));
}

/** Seed 004's `dangerousCommands`, whole and in its order. */
export const SEED_DANGEROUS: readonly string[] = [...new Set(SEED_004.map(({ seed }) => seed))];

/** `counts` are those of the seed's expressions that do. */
export function dangerousPatterns(text: string, counts: ReadonlySet<string>): PatternHit[] {
  if (!HAS_004.test(text)) return [];
  return SEED_004.filter(({ hits, seed }) => counts.has(seed) && hits(text));
}

/** For one command whose words are known: what is a word of its arguments is no command there. */
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
 * A blocked name as a whole word anywhere: for text that no parser here understands (another
 * language's code, broken or oversized shell), where a position in a sentence means nothing.
 */
export function blockedWord(text: string): string | undefined {
  // Ours first: nobody is asked about that, whatever else is in it.
  return OUR_WORD.exec(text)?.[0] ?? WHOLE_WORD.exec(text)?.[0];
}

/** Of a word that `blockedWord` found. */
export function isOurWord(word: string): boolean {
  return OUR_WORD.test(word);
}
