import { expect, test } from "vitest";
import { Scope } from "./parameter-expansion.ts";

test("A4 a text of its own knows what was set around it, and keeps what it sets", () => {
  const outer = new Scope();
  outer.add("a", ["x"]);
  const inner = outer.createChild();
  inner.add("a", ["y"]);
  inner.set("1", ["z"]);
  expect(inner.get("a")).toEqual([["x"], ["y"]]);
  expect([inner.isAssignedHere("a"), inner.isAssignedHere("1"), inner.has("SHELL")]).toEqual([
    true,
    false,
    true,
  ]);
  expect([outer.get("a"), outer.has("1")]).toEqual([[["x"]], false]);
});

test("A14 what a script put into variables is looked at once, however many texts it has", () => {
  const scope = new Scope();
  for (let number = 0; number < 100; number++) scope.add(`a${number}`, ["b", "c"]);
  expect(scope.takeNewTexts()).toHaveLength(200);
  scope.add("a0", ["b", "c"]);
  scope.add("d", ["e"]);
  expect(scope.takeNewTexts()).toEqual(["e"]);
  expect(scope.createChild().takeNewTexts()).toEqual([]);
});
