// Owns access to the row factory of xterm 6's DOM renderer, for patches that xterm's API does not allow.

import type { Terminal } from "@xterm/xterm";

const ROW_FACTORY_PATH = ["_core", "_renderService", "_renderer", "value", "_rowFactory"];

/** Returns the prototype of all row factories; undefined if xterm's internals changed. */
export function findRowFactory(term: Terminal): object | undefined {
  const factory = ROW_FACTORY_PATH.reduce<unknown>(
    (within, name) => (isObject(within) ? Reflect.get(within, name) : undefined),
    term,
  );
  const prototype: unknown = isObject(factory) ? Object.getPrototypeOf(factory) : undefined;
  return isObject(prototype) ? prototype : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
