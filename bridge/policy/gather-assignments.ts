// Owns collecting the constant assignments of a script into a scope, before anything is judged: a
// function may use a variable that is assigned after it. Judges nothing. Also owns what an array
// holds after assignments to single indexes.

import type { Assignment, Command, ParsedScript, SyntaxNode, Word } from "unbash";
import { forEachChild } from "unbash";
import { formatPrintf } from "./printf-format.ts";
import { findBlockedReason } from "./program-names.ts";
import type { Scope, Value } from "./parameter-expansion.ts";
import { expandWord, toTexts } from "./word-expansion.ts";
import { UNKNOWN_VALUE } from "./word-marks.ts";

/** `a=$b; b=$c; c=rm` needs one round for each link of the chain. */
const MAX_ROUNDS = 4;
const MAX_SHIFTED = 4;
const MAX_PLACES = 16;
/** An element with several readings contributes the first two. */
const READINGS = [0, 1];
/** A text without any of these words or characters assigns nothing. */
const ASSIGNS =
  /[=(]|\b(?:for|select|function|read|printf|set|unset|mapfile|readarray|getopts|shift)\b/;

export function gatherAssignments(script: ParsedScript, scope: Scope, text: string): void {
  if (!ASSIGNS.test(text)) return;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if (!learnFrom(script, scope)) return;
  }
}

/** Returns whether anything new was learnt. */
function learnFrom(node: SyntaxNode, scope: Scope): boolean {
  let learnt = false;
  if (node.type === "Assignment") learnt = learnFromAssignment(node, scope);
  if (node.type === "Function") learnt = scope.add(functionKey(node.name.value), []);
  if (node.type === "For" || node.type === "Select") {
    for (const word of node.wordlist ?? []) {
      for (const fields of expandWord(word, scope)) {
        for (const field of fields) learnt = scope.add(node.name.value, [field]) || learnt;
      }
    }
  }
  if (node.type === "ParameterExpansion" && node.operation?.type === "Default") {
    if (node.operation.operator.endsWith("=")) {
      for (const text of toTexts(node.operation.operand, scope)) {
        learnt = scope.add(node.parameter, [text]) || learnt;
      }
    }
  }
  if (node.type === "Command") learnt = learnFromBuiltin(node, scope) || learnt;
  if (node.type === "Word" && node.parts === undefined) return learnt;
  forEachChild(node, (child) => {
    learnt = learnFrom(child, scope) || learnt;
  });
  return learnt;
}

function learnFromAssignment(node: Assignment, scope: Scope): boolean {
  if (node.value.type === "ArrayValue") {
    const { elements } = node.value;
    return READINGS.map((way) =>
      putElements(
        node,
        elements.map((word) => parseElement(word, way, scope)),
        scope,
      ),
    ).includes(true);
  }
  let learnt = false;
  for (const text of toTexts(node.value, scope)) {
    learnt = scope.add(node.name, [text]) || learnt;
    if (node.index !== undefined) {
      const index = toTexts(node.index, scope)[0];
      learnt = putElements(node, [{ index, fields: [text] }], scope) || learnt;
    }
    if (!node.append) continue;
    for (const before of scope.get(node.name)) {
      // One step of growth is enough for a constant built from two pieces; following loops would never
      // end.
      const [first = ""] = before;
      if (first.length < 64) learnt = scope.add(node.name, [first + text]) || learnt;
    }
  }
  return learnt;
}

/** Puts elements into the array's earlier values, or into an empty array if all of it is assigned. */
function putElements(
  { name, append, index }: Assignment,
  elements: readonly ArrayElement[],
  scope: Scope,
): boolean {
  const keeps = append === true || index !== undefined;
  const before = keeps && scope.has(name) ? scope.get(name).slice(0, MAX_SHIFTED) : [[]];
  return [[], ...before]
    .flatMap((value) => readArray(value, elements))
    .map((value) => scope.add(name, value))
    .includes(true);
}

/** Parses `[3]=value`; quotes after it make the bracket look like a glob. */
function parseElement(word: Word, way: number, scope: Scope): ArrayElement {
  const index = /^\[([^\]]*)\]=/.exec(word.text)?.[1];
  const ways = expandWord(word, scope);
  const fields = ways[way] ?? ways[0] ?? [];
  if (index === undefined) return { index, fields };
  return { index, fields: [fields.join(" ").replace(/^(?:\[[^\]]*\]|\uE001)=/, "")] };
}

/** Learns from builtins that assign without an `=`; returns whether anything was new. */
function learnFromBuiltin(node: Command, scope: Scope): boolean {
  const name = node.name?.value;
  if (name === undefined) return false;
  const words = node.suffix.filter((part) => part.type === "Word");
  const texts = words.map((word) => toTexts(word, scope)[0] ?? UNKNOWN_VALUE);
  // A call's arguments are the function's `$1 $2 …`.
  if (scope.has(functionKey(name))) return setPositional(texts, scope);
  if (name === "set") {
    const from = texts.indexOf("--");
    const given = from >= 0 ? texts.slice(from + 1) : texts.filter((text) => !/^[-+]/.test(text));
    return given.length > 0 && setPositional(given, scope);
  }
  if (name === "shift") return shiftParameters(texts[0] ?? "1", scope);
  if (name === "unset") return texts.map((variable) => scope.add(variable, [""])).includes(true);
  if (name === "printf" && texts[0]?.startsWith("-v"))
    return learnFromPrintf(
      words.flatMap((word) => expandWord(word, scope)[0] ?? []),
      scope,
    );
  if (name !== "read" && name !== "mapfile" && name !== "readarray") return false;
  const given = node.redirects.flatMap((redirect) =>
    redirect.type === "HereString" && redirect.target ? toTexts(redirect.target, scope) : [],
  );
  const split = given.map((text) => text.trim().split(scope.has("IFS") ? /[^\w./]+/ : /\s+/));
  return texts
    .filter((variable) => !variable.startsWith("-"))
    .flatMap((variable, place) => {
      // Each variable may get its field, all fields, the whole text, or any field: options may shift
      // the fields.
      const values = [
        ...split.flatMap((fields) => fields.slice(place, place + 1)).map((field) => [field]),
        ...split,
        ...given.map((text) => [text.trimEnd()]),
        ...split.flat().map((field) => [field]),
      ];
      return [...values, [UNKNOWN_VALUE]].map((value) => scope.add(variable, value));
    })
    .includes(true);
}

/** Learns from `printf -v name format …` and `printf -vname …`, which may also set an element of an array. */
function learnFromPrintf(words: readonly string[], scope: Scope): boolean {
  const [first = "", ...rest] = words;
  const [target = "", format = "", ...values] = first === "-v" ? rest : [first.slice(2), ...rest];
  const [, array = target, index = "0"] = /^(\w+)\[(.*)\]$/.exec(target) ?? [];
  const place = { index, fields: [formatPrintf(format, values)] };
  const results = [...readArray([], [place]), ...values.map((value) => [value])];
  return results.map((value) => scope.add(array, value)).includes(true);
}

/** Returns the key under which a function is remembered; no variable can have this name. */
function functionKey(name: string): string {
  return `${name}()`;
}

/**
 * Shifts the positional parameters by `count`, and also by any other number that leads to a blocked
 * name: how often `shift` runs is not followed.
 */
function shiftParameters(count: string, scope: Scope): boolean {
  const steps = /^\d{1,3}$/.test(count) ? Number(count) : 1;
  let learnt = false;
  for (const values of scope.get("@").slice(0, MAX_SHIFTED)) {
    learnt = setPositional(values.slice(steps, steps + MAX_PLACES), scope) || learnt;
    // A name holds only a few values, so only blocked names are worth one.
    const blocked = values.findIndex((value) => findBlockedReason(value) !== undefined);
    for (let place = 0; place < blocked && place < 9; place++) {
      learnt =
        setPositional(
          [...values.slice(0, place), ...values.slice(blocked, blocked + MAX_PLACES)],
          scope,
        ) || learnt;
    }
  }
  return learnt;
}

function setPositional(values: readonly string[], scope: Scope): boolean {
  const learnt = values.map((value, index) => scope.add(String(index + 1), [value]));
  return scope.add("@", values) || learnt.includes(true);
}

// Expanding the whole array skips unset indexes, while reading a single unset index gives an empty
// text, so both are tracked.

interface ArrayElement {
  /** Undefined appends after the last element. */
  readonly index: string | undefined;
  readonly fields: Value;
}

/** A larger index is treated like a key of an associative array. */
const MAX_INDEX = 63;

/** Returns both ways to read the array: with its gaps as empty fields, and without them. */
function readArray(before: Value, elements: readonly ArrayElement[]): readonly Value[] {
  const fields: (string | undefined)[] = [...before];
  let next = fields.length;
  for (const element of elements) {
    const place = Number(element.index ?? next);
    const isPlace = Number.isInteger(place) && place >= 0 && place <= MAX_INDEX;
    next = isPlace ? place : fields.length;
    for (const field of element.fields) fields[next++] = field;
  }
  const dense = Array.from(fields).filter((field) => field !== undefined);
  if (dense.length === fields.length) return [dense];
  return [Array.from(fields, (field) => field ?? ""), dense];
}
