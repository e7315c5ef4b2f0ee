// Owns access to the row factory of xterm 6's DOM renderer, for patches that xterm's API does not allow.

import type { Terminal } from "@xterm/xterm";

const RENDERER_PATH = ["_core", "_renderService", "_renderer", "value"];

/** Returns the prototype of all row factories; undefined if xterm's internals changed. */
export function findRowFactory(term: Terminal): object | undefined {
  const factory = findInternals(term, "_rowFactory");
  const prototype: unknown = factory && Object.getPrototypeOf(factory);
  return isObject(prototype) ? prototype : undefined;
}

/** Returns a part of the DOM renderer by its name; undefined if xterm's internals changed. */
export function findInternals(term: Terminal, part: string): object | undefined {
  const found = [...RENDERER_PATH, part].reduce<unknown>(
    (within, name) => (isObject(within) ? Reflect.get(within, name) : undefined),
    term,
  );
  return isObject(found) ? found : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
