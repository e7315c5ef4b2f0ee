// Owns which `$…` all shells read alike: a list of known forms, since every shell has some of its
// own (`${(e)x}`, `$x[1]` and `$x:h` of zsh, `$'…'` of bash, `$[…]`). Judges nothing.

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
const SPECIAL = "[@*#?$!-]";
const PARAMETER = `(?:${NAME}|[0-9]+|${SPECIAL})`;
/** Text without quotes, brackets and escapes; a variable in it only by its name. */
const OPERAND = `(?:[A-Za-z0-9_./,:@%+=*?~ -]|\\$${NAME}(?![A-Za-z0-9_:\\[(]))*`;

/** `${x}`, `${#x}`, `${x:-word}`, `${x##*\/}` and their like, which POSIX has. */
const BRACED = new RegExp(
  `\\$\\{(?:#?${PARAMETER}|${PARAMETER}(?::?[-+=?]|##?|%%?)${OPERAND})\\}`,
  "y",
);
/** `${x/a/b}`, `${x:0:1}`, `${x^^}`: dash and other shells without them refuse the line. */
const BRACED_OF_SOME = new RegExp(
  `\\$\\{${NAME}(?://?${OPERAND}|:(?: -)?[0-9]+(?::[0-9]+)?|\\^\\^?|,,?)\\}`,
  "y",
);
/** Numbers and operators; names in it are judged as expressions anyway. */
const ARITHMETIC = /\$\(\([0-9 \t+*/%()<>=&|^?:,-]*\)\)/y;
const SIMPLE = new RegExp(`\\$(?:${NAME}|[0-9]|${SPECIAL})`, "y");
/** Behind a variable: zsh's subscripts and modifiers, and letters that only zsh takes for a name's. */
const GOES_ON = /(?:\[|:[A-Za-z&]|[^\0-\u007F])/y;

export interface Expansion {
  readonly end: number;
  /** Named in the reason, where shells read it differently. */
  readonly differs?: string;
  /** Shells that do not know it refuse the whole line. */
  readonly isOfSome?: true;
  /** A command substitution, which is judged elsewhere. */
  readonly isSubstitution?: true;
}

/** Reads what stands at a `$`, outside single quotes. */
export function readExpansion(text: string, at: number, isQuoted: boolean): Expansion {
  const next = text[at + 1] ?? "";
  const differs = (what: string): Expansion => ({ end: at + 1, differs: what });
  if (next === "(") {
    const end = endOf(ARITHMETIC, text, at);
    if (end !== undefined) return { end };
    if (text[at + 2] === "(") return differs("$((…))");
    return { end: at + 2, isSubstitution: true };
  }
  if (next === "{") {
    const end = endOf(BRACED, text, at);
    if (end !== undefined) return { end };
    const endOfSome = endOf(BRACED_OF_SOME, text, at);
    return endOfSome === undefined ? differs("${…}") : { end: endOfSome, isOfSome: true };
  }
  if ((next === "'" || next === '"') && !isQuoted) return differs(`$${next}…${next}`);
  if ("[~=^+".includes(next) && next !== "") return differs(`$${next}`);
  const end = endOf(SIMPLE, text, at);
  if (end === undefined) return isBeyondAscii(text, at + 1) ? differs("$…") : { end: at + 1 };
  const isName = /[A-Za-z_]/.test(next);
  // `$10` is `${1}0` or `${10}`, `$#x` is `${#}x` or `${#x}`.
  if (!isName && /[\w@*#?$!-]/.test(text[end] ?? "") && /[0-9#]/.test(next))
    return differs(text.slice(at, end + 1));
  if (endOf(GOES_ON, text, end) !== undefined) return differs(text.slice(at, end + 1));
  return { end };
}

function isBeyondAscii(text: string, at: number): boolean {
  return text.charCodeAt(at) > 127;
}

function endOf(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}
