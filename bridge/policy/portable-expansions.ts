// Owns which `$…` expansions mean the same in all shells: a list of known forms, since every shell has
// some of its own (`${(e)x}`, `$x[1]` and `$x:h` of zsh, `$'…'` of bash, `$[…]`). Judges nothing.

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
