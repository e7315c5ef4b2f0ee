import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BOX_CHARACTERS } from "./box-characters.ts";
import { boxBackground } from "./box-glyphs.ts";
import { splitBoxes } from "./box-elements.ts";

const all = Array.from({ length: 0xa0 }, (_, at) => String.fromCodePoint(0x25_00 + at));

/** Returns one character per layer: the edge that it reaches, or none. */
function edges(character: string): string {
  const layers = (boxBackground(character) ?? "").match(/(?:no-repeat|repeat-[xy]|gradient\(to)/g);
  return `${layers?.length}`;
}

test("WT32 each box and block character is drawn, and nothing else is", () => {
  for (const character of all) {
    expect([character, boxBackground(character)?.includes("currentColor")]).toEqual([
      character,
      true,
    ]);
    expect(BOX_CHARACTERS.test(character)).toBe(true);
  }
  for (const other of ["a", " ", "|", "-", "\u24FF", "\u25A0", "你", ""]) {
    expect([boxBackground(other), BOX_CHARACTERS.test(other)]).toEqual([undefined, false]);
  }
  // Different characters look different.
  expect(new Set(all.map((character) => boxBackground(character))).size).toBe(all.length);
});

test("WT32 a character has a stroke for each arm, two for a double one", () => {
  const counts = { "─": 2, "│": 2, "┌": 2, "┼": 4, "╴": 1, "═": 4, "╬": 8, "╞": 4, "╭": 3, "▚": 2 };
  for (const [character, count] of Object.entries(counts))
    expect([character, edges(character)]).toEqual([character, `${count}`]);
});

test("WT32 a row is cut into text, uniform runs and single characters, and none is lost", () => {
  expect(splitBoxes("│ ab │────┤██")).toEqual(["│", " ab ", "│", "────", "┤", "██"]);
  expect(splitBoxes("││👍x┄┄")).toEqual(["│", "│", "👍x", "┄", "┄"]);
  expect(splitBoxes("")).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "─", "│", "█", "👍", " ") }), (text) => {
      expect(splitBoxes(text).join("")).toBe(text);
    }),
  );
});
