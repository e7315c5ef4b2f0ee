// Escape sequences with known results, in the bridge's own emulator. test/web/cells.test.ts has the
// same in a real browser.

import { expect, test } from "vitest";
import { ESCAPE_CASES } from "../../test/support/escape-cases.ts";
import { Emulator } from "./emulator.ts";
import { toScreenView } from "./screen-view.ts";

test.each(ESCAPE_CASES)("Z24 $name", ({ text, lines, cursor }) => {
  const emulator = new Emulator(80, 24);
  emulator.write(text);
  const view = toScreenView(emulator.terminal, "", 0);
  const shown = view.lines.map((line) => line.trimEnd());
  expect(shown).toEqual([...lines, ...Array<string>(24 - lines.length).fill("")]);
  expect(`${view.cursor.x},${view.cursor.y}`).toBe(cursor);
  emulator.dispose();
});

test("Z24 there are at least 60 cases", () => {
  expect(ESCAPE_CASES.length).toBeGreaterThanOrEqual(60);
});
