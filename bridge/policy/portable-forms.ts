// Owns which `$…` expansions mean the same in all shells: a list of known forms, since every shell
// has some of its own (`${(e)x}`, `$x[1]` and `$x:h` of zsh, `$'…'` of bash, `$[…]`). Judges
// nothing. Also owns which redirects mean the same in all shells. Does not judge them: redirects.ts
// does. And where here-documents end, for the forms that mean the same in all shells. Judges
// nothing.

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
const SPECIAL = "[@*#?$!-]";
const PARAMETER = `(?:${NAME}|[0-9]+|${SPECIAL})`;
/** Text without quotes, brackets and escapes; variables in it only as `$name`. */
const OPERAND = `(?:[A-Za-z0-9_./,:@%+=*?~ -]|\\$${NAME}(?![A-Za-z0-9_:\\[(]))*`;

/** POSIX forms: `${x}`, `${#x}`, `${x:-word}`, `${x##*\/}` and similar. */
const BRACED = new RegExp(
  `\\$\\{(?:#?${PARAMETER}|${PARAMETER}(?::?[-+=?]|##?|%%?)${OPERAND})\\}`,
  "y",
);
/** `${x/a/b}`, `${x:0:1}`, `${x^^}`: dash and other shells reject the whole line. */
const BRACED_NOT_PORTABLE = new RegExp(
  `\\$\\{${NAME}(?://?${OPERAND}|:(?: -)?[0-9]+(?::[0-9]+)?|\\^\\^?|,,?)\\}`,
  "y",
);
/** Numbers and operators; names in arithmetic are judged as expressions elsewhere. */
const ARITHMETIC = /\$\(\([0-9 \t+*/%()<>=&|^?:,-]*\)\)/y;
const SIMPLE = new RegExp(`\\$(?:${NAME}|[0-9]|${SPECIAL})`, "y");
/** What may continue a variable: zsh's subscripts and modifiers, and letters that only zsh allows in a name. */
const CONTINUES_NAME = /(?:\[|:[A-Za-z&]|[^\0-\u007F])/y;

export interface Expansion {
  readonly end: number;
  /** The form as the reason names it, where shells read it differently. */
  readonly differs?: string;
  /** Shells without this form reject the whole line. */
  readonly isNotPortable?: true;
  /** A command substitution; it is judged elsewhere. */
  readonly isSubstitution?: true;
}

/** Reads the expansion at a `$` outside single quotes. */
export function readExpansion(text: string, at: number, isQuoted: boolean): Expansion {
  const next = text[at + 1] ?? "";
  const differs = (what: string): Expansion => ({ end: at + 1, differs: what });
  if (next === "(") {
    const end = findExpansionEnd(ARITHMETIC, text, at);
    if (end !== undefined) return { end };
    if (text[at + 2] === "(") return differs("$((…))");
    return { end: at + 2, isSubstitution: true };
  }
  if (next === "{") {
    const end = findExpansionEnd(BRACED, text, at);
    if (end !== undefined) return { end };
    const endOfSome = findExpansionEnd(BRACED_NOT_PORTABLE, text, at);
    return endOfSome === undefined ? differs("${…}") : { end: endOfSome, isNotPortable: true };
  }
  if ((next === "'" || next === '"') && !isQuoted) return differs(`$${next}…${next}`);
  if ("[~=^+".includes(next) && next !== "") return differs(`$${next}`);
  const end = findExpansionEnd(SIMPLE, text, at);
  if (end === undefined) return isBeyondAscii(text, at + 1) ? differs("$…") : { end: at + 1 };
  const isName = /[A-Za-z_]/.test(next);
  // `$10` is `${1}0` or `${10}`, `$#x` is `${#}x` or `${#x}`.
  if (!isName && /[\w@*#?$!-]/.test(text[end] ?? "") && /[0-9#]/.test(next))
    return differs(text.slice(at, end + 1));
  if (findExpansionEnd(CONTINUES_NAME, text, end) !== undefined)
    return differs(text.slice(at, end + 1));
  return { end };
}

function isBeyondAscii(text: string, at: number): boolean {
  return text.charCodeAt(at) > 127;
}

function findExpansionEnd(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}

export interface RedirectForm {
  /** Index behind the operator; its target follows. */
  readonly end: number;
  /** The form as the reason names it, where shells read it differently. */
  readonly difference?: string;
  /** The form as the reason names it, where some shells reject the line. */
  readonly rejectedForm?: string;
  /** `<(` or `>(`: commands follow. */
  readonly opensProcess?: true;
  readonly document?: HereDocument;
}

/** zsh reads this as a range of numbers in a file name. */
const NUMBERS = /<\d*-\d*>/y;
const DUPLICATE = /[<>]&(?:\d|-)(?![^\s;&|<>()])/y;
/** dash and zsh have descriptors of one digit only. */
const LONG_DESCRIPTOR = /^\d\d+$/;

/** Reads the operator at a `<` or `>`; `before` is the part of the word in front of it. */
export function readRedirect(text: string, at: number, before: string): RedirectForm {
  const differs = (what: string): RedirectForm => ({ end: at + 1, difference: what });
  const rest = text.slice(at, at + 3);
  if (LONG_DESCRIPTOR.test(before)) return differs("a descriptor of two digits");
  if (isAt(NUMBERS, text, at)) return differs("<…>");
  if (rest[1] === "(") {
    if (before !== "") return differs(`${rest[0]}(…)`);
    return { end: at + 2, opensProcess: true, rejectedForm: `${rest[0]}(…)` };
  }
  if (rest === "<<<") return { end: at + 3, rejectedForm: rest };
  if (rest.startsWith("<<")) {
    const found = readDelimiter(text, at);
    return found ?? differs("<<");
  }
  if (isAt(DUPLICATE, text, at)) return { end: at + 2 };
  // bash and zsh redirect both outputs to a file; other shells expect a descriptor here.
  if (rest[1] === "&") return { end: at + 2, rejectedForm: rest.slice(0, 2) };
  return { end: at + (/[>|]/.test(rest[1] ?? "") ? 2 : 1) };
}

function isAt(form: RegExp, text: string, at: number): boolean {
  form.lastIndex = at;
  return form.test(text);
}

export interface HereDocument {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  /** `<<-`: leading tabs of each line are dropped. */
  readonly dropsTabs: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The delimiter is one plain word, possibly quoted. */
const OPENING = /<<(-?)[ \t]*(?:'(\w+)'|"(\w+)"|(\\?)(\w+))(?=[\s;&|<>]|$)/y;

/** Reads the delimiter; undefined if shells may disagree on it. */
function readDelimiter(
  text: string,
  at: number,
): { readonly document: HereDocument; readonly end: number } | undefined {
  OPENING.lastIndex = at;
  const match = OPENING.exec(text);
  if (match === null) return undefined;
  const [, dash, single, double, escape, bare] = match;
  const isQuoted = bare === undefined || escape !== "";
  const delimiter = single ?? double ?? bare ?? "";
  return {
    document: { delimiter, isQuoted, dropsTabs: dash === "-" },
    end: OPENING.lastIndex,
  };
}

/** Finds the end of the bodies that start at `from`, and which of them are expanded. */
export function skipBodies(
  text: string,
  from: number,
  documents: readonly HereDocument[],
): { readonly end: number; readonly expanded: readonly Span[] } {
  const expanded: Span[] = [];
  let at = from;
  for (const document of documents) {
    const start = at;
    let bodyEnd = text.length;
    while (at < text.length) {
      const newline = text.indexOf("\n", at);
      const lineEnd = newline < 0 ? text.length : newline;
      const line = text.slice(at, lineEnd);
      const isEnd = (document.dropsTabs ? line.replace(/^\t+/, "") : line) === document.delimiter;
      if (isEnd) bodyEnd = at;
      at = Math.min(text.length, lineEnd + 1);
      if (isEnd) break;
    }
    if (!document.isQuoted) expanded.push({ start, end: bodyEnd });
  }
  return { end: at, expanded };
}

/** Characters without a meaning in any shell, also at the start of a word. */
export const PLAIN = /[A-Za-z0-9_./,:@%+-]+/y;
/** Words after which a command may start. */
export const COMMAND_FOLLOWS = new Set([
  "if",
  "then",
  "else",
  "elif",
  "do",
  "while",
  "until",
  "!",
  "time",
  "{",
]);
/** Keywords that dash takes for programs. */
export const NOT_IN_DASH = new Set(["function", "select", "coproc"]);
/** bash appends to or sets an element; dash takes the word for a program, and zsh expands `==x`. */
export const ODD_ASSIGNMENT = /^[A-Za-z_]\w*(?:\+=|\[|==)/;
export const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** `!x` repeats an earlier command in shells with a history, and zsh drops the quote of `!"`. */
export const HISTORY_REFERENCE = /!(?![\s=]|:\s|$)/y;

/** Whether an odd number of backslashes precedes; fish takes these for escapes, also in single quotes. */
export function isEscaped(text: string, at: number): boolean {
  let count = 0;
  while (text[at - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

export interface OperatorReading {
  readonly end: number;
  readonly difference?: string;
  /** A form that some shells reject. */
  readonly rejectedForm?: string;
}

/** Reads an operator between commands at `at`: `&`, `|` or `;`, or two of them. */
export function readOperator(text: string, at: number): OperatorReading {
  const two = text.slice(at, at + 2);
  const isTwo = /^(?:&&|\|\||;;|\|&)$/.test(two);
  const end = at + (isTwo ? 2 : 1);
  const isOdd = /^(?:&[>!|]|;[&|])$/.test(two) || /^;;[&|]/.test(text.slice(at, at + 3));
  if (isOdd) return { end, difference: two };
  return two === "|&" ? { end, rejectedForm: two } : { end };
}

/** Whether a line continuation at `at` stands between two words, not within one. */
export function isBetweenWords(text: string, at: number): boolean {
  const before = text[at - 1] ?? " ";
  const after = text[at + 2] ?? " ";
  return /\s/.test(before) ? after !== "#" : /\s/.test(after);
}
