// Owns finding xterm 6's factory of rows, where elements draw a terminal: what is mended there has no
// place in xterm's own interface.

import type { Terminal } from "@xterm/xterm";

const FACTORY = ["_core", "_renderService", "_renderer", "value", "_rowFactory"];

/** Returns what all factories inherit from; undefined if xterm has changed inside. */
export function findRowFactory(term: Terminal): object | undefined {
  const factory = FACTORY.reduce<unknown>(
    (within, name) => (isObject(within) ? Reflect.get(within, name) : undefined),
    term,
  );
  const made: unknown = isObject(factory) ? Object.getPrototypeOf(factory) : undefined;
  return isObject(made) ? made : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
