// Owns the patterns over raw text: a verdict never falls below them, however the text is parsed.
// Every check is linear in the text. Does not parse. Also owns what unusual characters in a request
// mean: a person who approves a line must see what will run.

import { BLOCKED_NAMES } from "./program-names.ts";
import type { Verdict } from "./verdict.ts";

/** A pattern that matched, as people read it. */
export interface PatternHit {
  readonly why: string;
  /** The program that the pattern is about; a rule for that program gives a better reason [Q102]. */
  readonly program?: string;
}

interface Pattern extends PatternHit {
  readonly hits: (text: string) => boolean;
}

const matches =
  (expression: RegExp) =>
  (text: string): boolean =>
    expression.test(text);

const WIPES_FOLDER = /(?<!\w)rm\s+-(?:rf|fr|r\s+-f|f\s+-r)\s+["']?\//;
// These four are not devices; a longer name (`/dev/nullx`) may be one.
const DEVICE = />[|&]?\s*\/dev\/(?!(?:null|stdout|stderr|fd\/\d+)(?:$|[\s;&|()<>"'`\\]))/;
// Spaces and line breaks are matched separately, so that no run of them is scanned twice.
const EVAL = /(?:^|[;&|(){}\n])[ \t]*eval(?=\s|$)/;

export const NESTED_COMMAND = "runs a command inside this one ($(…) or backticks)";

const PIPES_TO_SHELL = "pipes text into a shell, which runs it";

/** The patterns that `spawn_background_terminal` always blocks. */
const BLOCKED_PATTERNS: readonly Pattern[] = [
  {
    why: "`rm -rf /…` deletes a whole folder by its absolute path",
    program: "rm",
    hits: matches(WIPES_FOLDER),
  },
  { why: "writes to a device below /dev", hits: matches(DEVICE) },
  { why: PIPES_TO_SHELL, program: "sh", hits: matches(/\|&?\s*sh(?![\w-])/) },
  { why: PIPES_TO_SHELL, program: "bash", hits: matches(/\|&?\s*bash(?![\w-])/) },
  { why: "`eval` runs its arguments as a command", program: "eval", hits: matches(EVAL) },
  { why: NESTED_COMMAND, hits: (text) => text.includes("`") },
  // `$((` is arithmetic; the parser handles the cases where it is not (`$((ls); rm x)`).
  { why: NESTED_COMMAND, hits: matches(/\$\((?!\()|\$\{[\s|]/) },
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
interface DangerousPattern extends Pattern {
  /** The expression as the configuration writes it. */
  readonly source: string;
  readonly starts?: RegExp;
}

/** The default of `terminal.dangerousCommands`. `.` never matches a line break there. */
const DANGEROUS_PATTERNS: readonly DangerousPattern[] = [
  {
    why: "`dd` can overwrite a device",
    program: "dd",
    source: "(^|\\s)dd\\s",
    starts: /^dd/,
    hits: matches(/(?:^|\s)dd\s/),
  },
  {
    why: "`rm -r` deletes folders",
    program: "rm",
    source: "(^|\\s)rm.*-.*r",
    starts: /^rm/,
    hits: (text) => inOrder(text, /(?:^|\s)rm/, "-", "r"),
  },
  {
    why: "`chmod -R` changes the permissions of whole folders",
    program: "chmod",
    source: "(^|\\s)chmod.*-.*r",
    starts: /^chmod/,
    hits: (text) => inOrder(text, /(?:^|\s)chmod/, "-", "r"),
  },
  {
    why: "`chown -R` changes the owner of whole folders",
    program: "chown",
    source: "(^|\\s)chown.*-.*r",
    starts: /^chown/,
    hits: (text) => inOrder(text, /(?:^|\s)chown/, "-", "r"),
  },
  {
    why: "`rmdir` deletes folders",
    program: "rmdir",
    source: "(^|\\s)rmdir\\s",
    starts: /^rmdir/,
    hits: matches(/(?:^|\s)rmdir\s/),
  },
  {
    why: "`find -delete` deletes files",
    program: "find",
    source: "find.*-(delete|exec)",
    hits: (text) => inOrder(text, /find/, "-delete", ""),
  },
  {
    why: "`find -exec` runs a program",
    source: "find.*-(delete|exec)",
    hits: (text) => inOrder(text, /find/, "-exec", ""),
  },
  {
    why: "`sudo` runs as another user",
    program: "sudo",
    source: "(^|\\s)sudo\\s",
    starts: /^sudo/,
    hits: matches(/(?:^|\s)sudo\s/),
  },
  {
    why: "`del` can delete files",
    program: "del",
    source: "(^|\\s)del\\s",
    starts: /^del/,
    hits: matches(/(?:^|\s)del\s/),
  },
  {
    why: "`format` can format a disk",
    program: "format",
    source: "(^|\\s)format\\s",
    starts: /^format/,
    hits: matches(/(?:^|\s)format\s/),
  },
  {
    why: "`reboot` can stop the machine",
    program: "reboot",
    source: "(^|\\s)reboot",
    starts: /^reboot/,
    hits: matches(/(?:^|\s)reboot/),
  },
  {
    why: "`shutdown` can stop the machine",
    program: "shutdown",
    source: "(^|\\s)shutdown",
    starts: /^shutdown/,
    hits: matches(/(?:^|\s)shutdown/),
  },
  {
    why: "`git reset` can discard changes",
    program: "git",
    source: "git.*reset",
    hits: (text) => inOrder(text, /git/, "reset", ""),
  },
];

// Fast path: nearly every text has none of these, and then no pattern can match.
const MAY_BE_BLOCKED = /[|>`$]|rm|eval/;
const MAY_BE_DANGEROUS = /dd|rm|chmod|chown|find|sudo|del|format|reboot|shutdown|git/;

export function blockedPatterns(text: string): PatternHit[] {
  if (!MAY_BE_BLOCKED.test(text)) return [];
  return BLOCKED_PATTERNS.filter(({ hits }) => hits(text));
}

/** The default of `terminal.dangerousCommands`, in its order. */
export const DEFAULT_DANGEROUS_COMMANDS: readonly string[] = [
  ...new Set(DANGEROUS_PATTERNS.map(({ source }) => source)),
];

/** Returns the patterns that match the text; `counts` are the expressions that the user kept. */
export function dangerousPatterns(text: string, counts: ReadonlySet<string>): PatternHit[] {
  if (!MAY_BE_DANGEROUS.test(text)) return [];
  return DANGEROUS_PATTERNS.filter(({ hits, source }) => counts.has(source) && hits(text));
}

/** Returns the patterns that match one command; a program's name among its arguments does not count. */
export function dangerousCommand(text: string, counts: ReadonlySet<string>): PatternHit[] {
  if (!MAY_BE_DANGEROUS.test(text)) return [];
  return DANGEROUS_PATTERNS.filter(
    ({ hits, starts, source }) => counts.has(source) && (starts?.test(text) ?? true) && hits(text),
  );
}

const NAMES = BLOCKED_NAMES.map((name) => name.replaceAll("-", "\\-")).join("|");
const WHOLE_WORD = new RegExp(`(?<![\\w-])(?:${NAMES})(?![\\w-])`, "i");
const PAIRPTY_WORD = /(?<![\w-])pairpty(?![\w-])/i;

/**
 * Returns a blocked name that occurs as a whole word: for text that no parser here understands (code of
 * another language, broken or oversized shell text), where the position of a word means nothing.
 */
export function findBlockedWord(text: string): string | undefined {
  // pairpty's own name first: such a command is refused without a question, whatever else it contains.
  return PAIRPTY_WORD.exec(text)?.[0] ?? WHOLE_WORD.exec(text)?.[0];
}

/** Whether a word that `findBlockedWord` found is pairpty's own name. */
export function isPairptyWord(word: string): boolean {
  return PAIRPTY_WORD.test(word);
}

interface UnusualCharacters {
  readonly characters: RegExp;
  readonly verdict: Verdict;
  readonly why: string;
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const CONTROL = /[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/;

const UNUSUAL_CHARACTERS: readonly UnusualCharacters[] = [
  // No argument can contain a NUL byte; programs and people would see different text after it.
  { characters: /\0/, verdict: "blocked", why: "a NUL byte" },
  { characters: CONTROL, verdict: "unknown", why: "a control character" },
  {
    characters:
      // oxlint-disable-next-line no-misleading-character-class -- each is meant by itself
      /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB]/,
    verdict: "unknown",
    why: "an invisible or direction-changing character",
  },
  {
    characters: /[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/,
    verdict: "unknown",
    why: "a blank that shells do not split on",
  },
  {
    // Unpaired surrogates and private-use characters: fonts show them as anything, or not at all.
    // The policy's own marks (word-marks.ts) are replaced by U+FFFD before this check.
    characters: /[\uD800-\uDFFF\uE004-\uF8FF\uFFFD\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFD}]/u,
    verdict: "unknown",
    why: "a character without a meaning of its own",
  },
];

// Most requests are plain ASCII, so one test is enough.
// oxlint-disable-next-line no-control-regex -- the class is "printable ASCII, tab and line feed"
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

export function findUnusualCharacters(text: string): { verdict: Verdict; why: string }[] {
  if (PLAIN.test(text)) return [];
  return UNUSUAL_CHARACTERS.filter(({ characters }) => characters.test(text)).map(
    ({ verdict, why }) => ({
      verdict,
      why,
    }),
  );
}
