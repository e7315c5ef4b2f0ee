// Owns what `$name` and `${name…}` could expand to, given the values in a scope. Unknown stays
// unknown. Also owns the values that variables could have.

import type { ParameterExpansionPart, ParameterOperation, Word } from "unbash";
import { BLOCKED_NAMES } from "./program-names.ts";
import { ANY_CHAR, ANY_TEXT, couldMatch, isMarked, UNKNOWN_VALUE } from "./word-marks.ts";

/** Resolves a nested word to texts, one for each reading. */
export type ResolveTexts = (word: Word) => readonly string[];

const MAX_TAILS = 8;
/** A longer text is data, and would contain the letters of any name. */
const MAX_CUT = 64;
const WHITESPACE_IFS: readonly Value[] = [[" "]];

export function simpleValues(text: string, scope: Scope): readonly Value[] {
  const name = text.slice(1);
  return joinStar(getValues(name, scope), name === "*", scope);
}

/** Returns the values of `"$*"`: one word, joined by the first character of the script's own IFS. */
function joinStar(values: readonly Value[], isStar: boolean, scope: Scope): readonly Value[] {
  if (!isStar || !scope.has("IFS")) return values;
  const signs = new Set(
    scope.get("IFS").map(([text = ""]) => (isMarked(text) ? "" : text.slice(0, 1))),
  );
  return [
    ...[...signs].flatMap((sign) => values.map((value): Value => [value.join(sign)])),
    ...values,
  ];
}

export function parameterValues(
  part: ParameterExpansionPart,
  scope: Scope,
  resolveTexts: ResolveTexts,
): readonly Value[] {
  if (part.prefix === "#") return [[UNKNOWN_VALUE]];
  const values =
    part.prefix === "!" ? resolveIndirect(part.parameter, scope) : getValues(part.parameter, scope);
  const index = part.index?.value;
  const isStar = (index ?? part.parameter) === "*";
  const chosen = joinStar(
    values.flatMap((value) => pickElement(value, index)),
    isStar,
    scope,
  );
  const operation = part.operation;
  if (operation === undefined) return chosen;
  // `"${@:2}"`: the fields from any one of them on.
  if (operation.type === "Slice" && (index ?? part.parameter).match(/^[@*]$/)) {
    const tails = chosen.flatMap((value) => value.map((_field, from) => value.slice(from)));
    return [...tails.slice(0, MAX_TAILS), [UNKNOWN_VALUE]];
  }
  // Slices and changes of whole arrays: the fields unchanged, or unknown.
  if (index === "@" || index === "*") return [...chosen, [UNKNOWN_VALUE]];
  return applyOperation(chosen, operation, scope.has(part.parameter), resolveTexts);
}

function getValues(name: string, scope: Scope): readonly Value[] {
  if (name === "IFS" && !scope.has("IFS")) return WHITESPACE_IFS;
  return scope.get(name === "*" ? "@" : name);
}

function resolveIndirect(name: string, scope: Scope): readonly Value[] {
  return scope
    .get(name)
    .flatMap(([target = ""]) => (isMarked(target) ? [[UNKNOWN_VALUE]] : scope.get(target)));
}

/** Returns one element; for an unknown index (a variable, a key) any of them. */
function pickElement(value: Value, index: string | undefined): readonly Value[] {
  if (index === undefined || index === "@" || index === "*") return [value];
  const field = /^-?\d{1,6}$/.test(index) ? value.at(Number(index)) : undefined;
  if (field !== undefined) return [[field]];
  return [...value.map((element): Value => [element]), [UNKNOWN_VALUE]];
}

function applyOperation(
  values: readonly Value[],
  operation: ParameterOperation,
  isSet: boolean,
  resolveTexts: ResolveTexts,
): readonly Value[] {
  const each = (change: (text: string) => string): Value[] =>
    values.map((value) => value.map((text) => (isMarked(text) ? UNKNOWN_VALUE : change(text))));
  switch (operation.type) {
    case "Default": {
      const given = resolveTexts(operation.operand).map((text): Value => [text]);
      // With `+` the variable's own value is never the result; with `?` the operand is never the
      // result.
      if (operation.operator.endsWith("+")) return [...given, [""]];
      if (operation.operator.endsWith("?")) return values;
      return isSet ? [...values, ...given] : given;
    }
    case "CaseModification":
      return each((text) => changeCase(text, operation.operator));
    case "Slice": {
      const from = wholeNumber(resolveTexts(operation.offset)[0]);
      const length =
        operation.length === undefined ? Infinity : wholeNumber(resolveTexts(operation.length)[0]);
      if (from === undefined || length === undefined) return toUncertainValues(values, isWithin);
      return each((text) => slice(text, from, length));
    }
    case "Remove": {
      const [pattern = UNKNOWN_VALUE] = resolveTexts(operation.operand);
      if (pattern.includes(UNKNOWN_VALUE)) return toUncertainValues(values, isWithin);
      return each((text) => remove(text, pattern, operation.operator));
    }
    case "Replace": {
      const [pattern = UNKNOWN_VALUE] = resolveTexts(operation.pattern);
      const [replacement = UNKNOWN_VALUE] = resolveTexts(operation.replacement);
      if (isMarked(pattern) || isMarked(replacement) || pattern === "")
        return [[replacement], ...toUncertainValues(values, isSubsequence)];
      return each((text) =>
        operation.operator === "//"
          ? text.replaceAll(pattern, () => replacement)
          : text.replace(pattern, () => replacement),
      );
    }
    case "Transform": {
      const way = operation.operand.value;
      if (way === "L") return each((text) => text.toLowerCase());
      if (way === "U") return each((text) => text.toUpperCase());
      return [[UNKNOWN_VALUE]];
    }
    default:
      return [[UNKNOWN_VALUE]];
  }
}

/** Returns an unknown value, and each blocked name that the text could be cut down to. */
function toUncertainValues(
  values: readonly Value[],
  couldLeave: (name: string, text: string) => boolean,
): readonly Value[] {
  const texts = values.flat().filter((text) => text.length <= MAX_CUT);
  const names = BLOCKED_NAMES.filter((name) => texts.some((text) => couldLeave(name, text)));
  return [...names.map((name): Value => [name]), [UNKNOWN_VALUE]];
}

const isWithin = (name: string, text: string): boolean => text.includes(name);

function isSubsequence(name: string, text: string): boolean {
  let at = -1;
  return name.split("").every((sign) => (at = text.indexOf(sign, at + 1)) >= 0);
}

function changeCase(text: string, operator: string): string {
  if (operator === ",,") return text.toLowerCase();
  if (operator === "^^") return text.toUpperCase();
  const first = text.slice(0, 1);
  return (operator === "," ? first.toLowerCase() : first.toUpperCase()) + text.slice(1);
}

function wholeNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? "";
  return /^-?\d{1,6}$/.test(trimmed) ? Number(trimmed) : undefined;
}

function slice(text: string, from: number, length: number): string {
  const start = from < 0 ? Math.max(text.length + from, 0) : from;
  const end = length < 0 ? text.length + length : Math.min(start + length, text.length);
  return text.slice(start, Math.max(end, start));
}

function remove(text: string, pattern: string, operator: string): string {
  const front = operator.startsWith("#");
  const longest = operator.length === 2;
  const exact = !pattern.includes(ANY_CHAR) && !pattern.includes(ANY_TEXT);
  for (let step = 0; step <= text.length; step++) {
    const size = longest && !exact ? text.length - step : step;
    const cut = front ? text.slice(0, size) : text.slice(text.length - size);
    if (!couldMatch(pattern, cut)) continue;
    return front ? text.slice(size) : text.slice(0, text.length - size);
  }
  return text;
}

// The assignments of a script are gathered before it is judged, and a name keeps every value that
// it is ever given, so that order and branches do not matter. Does not resolve words.

/** One value, as fields: an array has several. */
export type Value = readonly string[];

/** A variable with more values than this also counts as unknown. */
const MAX_VALUES = 8;
const MAX_LENGTH = 4096;
const NOTHING_KNOWN: readonly Value[] = [[UNKNOWN_VALUE]];

/** Possible names of the running shell, which is not known: `${SHELL%h}` may give any of them, changed. */
const SHELLS: readonly Value[] = [
  "sh",
  "bash",
  "/bin/sh",
  "/bin/bash",
  "dash",
  "zsh",
  "/bin/zsh",
].map((name) => [name]);

/** Variables that a shell sets itself and that name a program. */
const SHELL_VARIABLES: readonly [string, readonly Value[]][] = [
  ["SHELL", SHELLS],
  ["BASH", [["bash"], ["/bin/bash"]]],
  ["0", SHELLS],
  ["_", SHELLS],
];

export class Scope {
  readonly #values: Map<string, readonly Value[]>;
  readonly #outer: Scope | undefined;
  /** Names that the script assigns to; the others come from its environment. */
  readonly #set = new Set<string>();
  /** Texts that the script put into variables since the last `takeNewTexts`. */
  #newTexts: string[] = [];

  constructor(
    values: Iterable<readonly [string, readonly Value[]]> = SHELL_VARIABLES,
    outer?: Scope,
  ) {
    this.#values = new Map(values);
    this.#outer = outer;
  }

  /** Returns a scope for text with its own positional parameters; other assignments in it stay inside, too. */
  createChild(): Scope {
    return new Scope([], this);
  }

  isAssignedHere(name: string): boolean {
    return this.#set.has(name) || (this.#outer?.isAssignedHere(name) ?? false);
  }

  /** Returns each text that the script put into a variable, once: many texts may share a scope. */
  takeNewTexts(): readonly string[] {
    const fresh = this.#newTexts;
    this.#newTexts = [];
    return fresh;
  }

  get(name: string): readonly Value[] {
    return this.#find(name) ?? NOTHING_KNOWN;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** Adds a possible value; returns whether it was new. */
  add(name: string, value: Value): boolean {
    this.#set.add(name);
    const before = this.#find(name) ?? [];
    const size = value.reduce((sum, field) => sum + field.length, 0);
    const kept: Value = size > MAX_LENGTH || before.length >= MAX_VALUES ? [UNKNOWN_VALUE] : value;
    if (before.some((other) => sameValue(other, kept))) return false;
    if (before.length > MAX_VALUES) return false;
    this.#values.set(name, [...before, kept]);
    this.#newTexts.push(...kept);
    return true;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, [value]);
  }

  #find(name: string): readonly Value[] | undefined {
    const outer = this.#outer;
    return this.#values.get(name) ?? (outer === undefined ? undefined : outer.#find(name));
  }
}

function sameValue(a: Value, b: Value): boolean {
  return a.length === b.length && a.every((field, index) => field === b[index]);
}
