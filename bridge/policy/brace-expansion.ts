// Owns brace expansion on the source text of a word: `{rm,-rf,x}`, `/bin/{r,l}m`, `{a..c}`. Keeps
// quotes and escapes; the caller resolves the results as words.

/** Maximum number of words that one expansion may give. */
const MAX_WORDS = 64;
/** Searching for groups is quadratic in a word that is all braces. */
const MAX_LENGTH = 2048;
const RANGE = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.-?\d{1,6})?$/;

/** Returns the words in order; undefined if there are more than `limit`. */
export function expandBraces(source: string, limit = MAX_WORDS): string[] | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  const group = firstGroup(source);
  if (group === undefined) return [source];
  const before = source.slice(0, group.start);
  const after = source.slice(group.end);
  const words: string[] = [];
  for (const choice of group.choices) {
    for (const inner of expandBraces(choice, limit) ?? [undefined]) {
      if (inner === undefined) return undefined;
      // The text before the first group has no group; the text after it may have some.
      for (const rest of expandBraces(after, limit) ?? [undefined]) {
        if (rest === undefined || words.length >= limit) return undefined;
        words.push(before + inner + rest);
      }
    }
  }
  return words;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

function firstGroup(source: string): Group | undefined {
  for (let start = skipTo(source, 0, "{"); start >= 0; start = skipTo(source, start + 1, "{")) {
    if (source[start - 1] === "$") continue;
    const group = groupAt(source, start);
    if (group !== undefined) return group;
  }
  return undefined;
}

function groupAt(source: string, start: number): Group | undefined {
  const choices: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = skipTo(source, start, "{},"); at >= 0; at = skipTo(source, at + 1, "{},")) {
    const sign = source[at];
    if (sign === "{") depth++;
    else if (sign === "," && depth === 1) {
      choices.push(source.slice(from, at));
      from = at + 1;
    } else if (sign === "}" && --depth === 0) {
      const last = source.slice(from, at);
      if (choices.length > 0) return { start, end: at + 1, choices: [...choices, last] };
      const range = expandRange(last);
      return range === undefined ? undefined : { start, end: at + 1, choices: range };
    }
  }
  return undefined;
}

function expandRange(text: string): string[] | undefined {
  const ends = RANGE.exec(text);
  const [first, last] = [ends?.[1], ends?.[2]];
  if (first === undefined || last === undefined) return undefined;
  const letters = /[A-Za-z]/.test(first);
  const from = letters ? first.charCodeAt(0) : Number(first);
  const to = letters ? last.charCodeAt(0) : Number(last);
  if (Number.isNaN(from) || Number.isNaN(to)) return undefined;
  const step = from <= to ? 1 : -1;
  const count = Math.min(Math.abs(to - from) + 1, MAX_WORDS + 1);
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * step;
    return letters ? String.fromCharCode(value) : String(value);
  });
}

/** Returns the word's source for a shell without brace expansion (dash): braces are plain characters. */
export function escapeBraces(source: string): string {
  let escaped = "";
  let from = 0;
  let parameters = 0;
  for (let at = skipTo(source, 0, "{}"); at >= 0; at = skipTo(source, at + 1, "{}")) {
    const opens = source[at] === "{";
    const isParameter = opens ? source[at - 1] === "$" : parameters > 0;
    if (isParameter) parameters += opens ? 1 : -1;
    escaped += source.slice(from, at) + (isParameter ? "" : "\\");
    from = at;
  }
  return escaped + source.slice(from);
}

/** Returns the index of the next of these characters outside quotes and escapes, or -1. */
function skipTo(source: string, from: number, signs: string): number {
  for (let at = from; at < source.length; at++) {
    const sign = source[at] ?? "";
    if (signs.includes(sign)) return at;
    if (sign === "\\") at++;
    if (sign !== "'" && sign !== '"') continue;
    const close = source.indexOf(sign, at + 1);
    if (close < 0) return -1;
    at = close;
  }
  return -1;
}
