// Owns what an array holds after assignments to single indexes. Expanding the whole array skips
// unset indexes, while reading a single unset index gives an empty text, so both are tracked.

import type { Value } from "./variable-scope.ts";

export interface ArrayElement {
  /** Undefined appends after the last element. */
  readonly index: string | undefined;
  readonly fields: Value;
}

/** A larger index is treated like a key of an associative array. */
const MAX_INDEX = 63;

/** Returns both ways to read the array: with its gaps as empty fields, and without them. */
export function readArray(before: Value, elements: readonly ArrayElement[]): readonly Value[] {
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
