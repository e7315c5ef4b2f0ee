import { expect, test } from "vitest";
import { formatSettings } from "./config-commands.ts";

test("K18 K33 all settings fit the window: a table, or a line for each", () => {
  const rows = [
    ["open", "true", "user file, ~/.config/pairpty/config.json", ""],
    [
      "terminal.safeCommands",
      JSON.stringify(Array.from({ length: 40 }, () => "git")),
      "default",
      "",
    ],
  ];
  const piped = formatSettings(rows, undefined).split("\n");
  expect(piped[0]).toContain("SETTING");
  // Whole, without the spaces that the longest value would need.
  expect(piped[1]).toMatch(/^open {19}true {22}user file/);
  expect(piped[2]).toContain(`${rows[1]?.[1]}  default`);
  const narrow = formatSettings(rows, 80).split("\n");
  expect(narrow.every((line) => line.length <= 80)).toBe(true);
  expect(narrow[0]).toBe("open  true (user file, ~/.config/pairpty/config.json)");
});
