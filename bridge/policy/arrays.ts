// Owns what an array holds after elements were put at places of it. A place without an element is
// left out by a shell where all are given, and counts where one is asked for: so there are two readings.

import type { Value } from "./scope.ts";

export interface Element {
  /** Undefined: the place after the last one. */
  readonly index: string | undefined;
  readonly fields: Value;
}

/** Beyond this an index is a key like any other. */
const MAX_INDEX = 63;

/** The array as it could be read: with its gaps, and without. */
export function placed(before: Value, elements: readonly Element[]): readonly Value[] {
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
