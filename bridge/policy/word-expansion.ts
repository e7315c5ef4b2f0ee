// Owns resolving a shell word to the fields that it could expand to: quotes, escapes, constant
// variables, braces and field splitting. Globs and unknown parts become marks. Judges nothing.

import { parse, type Word, type WordPart } from "unbash";
import { expandBraces } from "./brace-expansion.ts";
import { ANY_CHAR, ANY_TEXT, PROGRAM_OUTPUT, UNKNOWN_VALUE } from "./word-marks.ts";
import { parameterValues, simpleValues } from "./parameter-expansion.ts";
import type { Scope, Value } from "./parameter-expansion.ts";

/** Readings of a word or a command; the rest is represented by the mark for unknown. */
const MAX_WAYS = 16;
/** `${a:-${b:-…}}` and braces in braces. */
const MAX_DEPTH = 12;
const BLANKS = /[ \t\n]+/;
/** A script with its own IFS may split anywhere except inside a name. */
const ANY_IFS = /[^\w./\uE000-\uE003]+/;
const NOTHING = /$^/;
const ONLY_BLANKS = [BLANKS];
const SOME_IFS = [ANY_IFS];

/** A word under construction: its fields so far, and whether the last one may still grow. */
interface WordDraft {
  readonly fields: readonly string[];
  readonly canGrow: boolean;
}

/** Returns each way in which the word could expand, as fields. */
export function expandWord(word: Word, scope: Scope, depth = 0): readonly Value[] {
  const parts = word.parts;
  if (parts === undefined) return [[word.value]];
  if (depth > MAX_DEPTH) return [[UNKNOWN_VALUE]];
  if (parts.some((part) => part.type === "BraceExpansion"))
    return expandBraceFields(word, scope, depth);
  const pieces = parts.map((part) => toPieces(part, scope, depth));
  return getSplitters(scope).flatMap((blanks) => joinPieces(pieces, blanks));
}

/** Returns the same for a shell that does not split variables (zsh); undefined if there is no difference. */
export function expandWordUnsplit(word: Word, scope: Scope): readonly Value[] | undefined {
  const { parts = [] } = word;
  if (!parts.some(({ type }) => type === "SimpleExpansion" || type === "ParameterExpansion"))
    return undefined;
  const pieces = parts.map((part) => toPieces(part, scope, 0));
  const isSplit = pieces.flat().some(({ value, splits }) => splits && value.some(hasBlanks));
  if (!isSplit) return undefined;
  return joinPieces(pieces, NOTHING);
}

const hasBlanks = (text: string): boolean => BLANKS.test(text);

function joinPieces(pieces: readonly (readonly WordPiece[])[], blanks: RegExp): readonly Value[] {
  let drafts: readonly WordDraft[] = [{ fields: [], canGrow: false }];
  for (const piece of pieces) drafts = extendAll(drafts, piece, blanks);
  return drafts.map((draft) => draft.fields);
}

/** Returns the expressions that may split a word: several if the script has an IFS of letters. */
function getSplitters(scope: Scope): readonly RegExp[] {
  if (!scope.has("IFS")) return ONLY_BLANKS;
  const signs = scope.get("IFS").flatMap(([text = ""]) => text.match(/\w/g) ?? []);
  if (signs.length === 0) return SOME_IFS;
  return [ANY_IFS, new RegExp(`[^\\w./\\uE000-\\uE003]+|[${signs.join("")}]+`)];
}

/** Returns each way in which the word could read as one text, without splitting. */
export function toTexts(word: Word, scope: Scope, depth = 0): readonly string[] {
  return expandWord(word, scope, depth).map((fields) => fields.join(" "));
}

/** Returns the text of parts that are not split, such as the body of a here-document. */
export function toTextsOfParts(parts: readonly WordPart[], scope: Scope): readonly string[] {
  let texts: readonly string[] = [""];
  for (const part of parts) {
    const pieces = toPieces(part, scope, 0).map(({ value }) => value.join(" "));
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece)).slice(0, MAX_WAYS);
  }
  return texts;
}

/** Returns the commands that these words could be. */
export function toArgvs(words: readonly (readonly Value[])[]): readonly string[][] {
  let ways: string[][] = [[]];
  for (const values of words) {
    const [only] = values;
    if (values.length === 1 && only !== undefined) {
      for (const way of ways) way.push(...only);
      continue;
    }
    const kept =
      ways.length * values.length > MAX_WAYS ? [...values.slice(0, 2), [UNKNOWN_VALUE]] : values;
    ways = ways.flatMap((way) => kept.map((value) => [...way, ...value])).slice(0, MAX_WAYS * 2);
  }
  return ways;
}

interface WordPiece {
  readonly value: Value;
  /** Unquoted expansions are split at blanks. */
  readonly splits: boolean;
  /** `"$@"` and `${a[@]}` give several fields. */
  readonly many: boolean;
}

const toWholeText = (text: string): WordPiece[] => [{ value: [text], splits: false, many: false }];

function toPieces(part: WordPart, scope: Scope, depth: number): readonly WordPiece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return toWholeText(part.value);
    case "Glob":
      return toWholeText(part.kind === "star" ? ANY_TEXT : ANY_CHAR);
    case "ExtendedGlob":
      return toWholeText(ANY_TEXT);
    case "ProcessSubstitution":
      return toWholeText(PROGRAM_OUTPUT);
    case "DoubleQuoted":
    case "LocaleString":
      return expandQuoted(part.parts, scope, depth);
    case "SimpleExpansion":
      return simpleValues(part.text, scope).map((value) => ({ value, splits: true, many: true }));
    case "ParameterExpansion": {
      const toWordTexts = (word: Word): readonly string[] => toTexts(word, scope, depth + 1);
      return parameterValues(part, scope, toWordTexts).map((value) => ({
        value,
        splits: true,
        many: true,
      }));
    }
    default:
      return [{ value: [UNKNOWN_VALUE], splits: true, many: false }];
  }
}

/** Returns the fields of a double-quoted part: nothing splits, but an array still expands to its fields. */
function expandQuoted(
  parts: readonly WordPart[],
  scope: Scope,
  depth: number,
): readonly WordPiece[] {
  const [only] = parts;
  if (only === undefined) return toWholeText("");
  if (parts.length === 1)
    return toPieces(only, scope, depth).map((piece) => ({ ...piece, splits: false }));
  return toTextsOfParts(parts, scope).map((text) => ({
    value: [text],
    splits: false,
    many: false,
  }));
}

function extendAll(
  drafts: readonly WordDraft[],
  pieces: readonly WordPiece[],
  blanks: RegExp,
): readonly WordDraft[] {
  const [first] = drafts;
  const [only] = pieces;
  if (drafts.length === 1 && pieces.length === 1 && first && only)
    return [extend(first, only, blanks)];
  return drafts
    .flatMap((draft) => pieces.map((piece) => extend(draft, piece, blanks)))
    .slice(0, MAX_WAYS);
}

function extend(draft: WordDraft, piece: WordPiece, blanks: RegExp): WordDraft {
  const fields = [...draft.fields];
  let open = draft.canGrow;
  const push = (text: string): void => {
    if (open) fields.push((fields.pop() ?? "") + text);
    else fields.push(text);
    open = true;
  };
  for (const [index, text] of piece.value.entries()) {
    if (index > 0 && piece.many) open = false;
    if (!piece.splits) {
      push(text);
      continue;
    }
    for (const [place, chunk] of markGlobs(text).split(blanks).entries()) {
      if (place > 0) open = false;
      if (chunk !== "") push(chunk);
    }
  }
  return { fields, canGrow: open };
}

/** Marks glob characters in an unquoted variable's value, which the shell still expands to file names. */
function markGlobs(text: string): string {
  if (!/[?*[]/.test(text)) return text;
  return text
    .replaceAll(/\[[^\]]+\]/g, ANY_CHAR)
    .replaceAll("?", ANY_CHAR)
    .replaceAll("*", ANY_TEXT);
}

function expandBraceFields(word: Word, scope: Scope, depth: number): readonly Value[] {
  const sources = expandBraces(word.text);
  // Too many to follow: use the pieces as they are, so that a name among them is still seen.
  if (sources === undefined) return [[...word.text.split(/[{},]+/).filter(Boolean), UNKNOWN_VALUE]];
  const words = sources.map((source): readonly Value[] => {
    const statement = parse(`: ${source}`).commands[0]?.command;
    const argument = statement?.type === "Command" ? statement.suffix[0] : undefined;
    if (argument?.type === "Word" && argument.text === source) {
      const same = source === word.text;
      return same ? [[argument.value]] : expandWord(argument, scope, depth + 1);
    }
    return source === "" ? [[]] : [[source]];
  });
  return toArgvs(words);
}
