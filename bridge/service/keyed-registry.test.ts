// The registry of items by name.

import { expect, test } from "vitest";
import { KeyedRegistry } from "./keyed-registry.ts";

test("Y61 what is registered is found by its name, and what is not is an error with the names", () => {
  const registry = new KeyedRegistry<number>("terminal provider");
  expect(() => registry.requireItemByName("a")).toThrow(
    'There is no terminal provider "a". Available: none.',
  );
  registry.register("a", 1);
  registry.register("b", 2);
  registry.register("a", 3);
  expect(registry.requireItemByName("a")).toBe(3);
  expect(registry.entries()).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  expect(() => registry.requireItemByName("__proto__")).toThrow("Available: a, b.");
  registry.unregister("a");
  expect([registry.getAllItemNames(), registry.getAllItemValues()]).toEqual([["b"], [2]]);
  expect(registry.getItemByName("a")).toBeUndefined();
});
