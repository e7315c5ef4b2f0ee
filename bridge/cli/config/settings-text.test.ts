import { expect, test } from "vitest";
import { settingsText } from "./config-verbs.ts";

test("K18 all settings fit the window: a table, or a line for each", () => {
  const rows = [
    ["open", "true", "user file, ~/.config/pairpty/config.json", ""],
    [
      "terminal.safeCommands",
      JSON.stringify(Array.from({ length: 40 }, () => "git")),
      "default",
      "",
    ],
  ];
  expect(settingsText(rows, undefined)).toContain("SETTING");
  const narrow = settingsText(rows, 80).split("\n");
  expect(narrow.every((line) => line.length <= 80)).toBe(true);
  expect(narrow[0]).toBe("open  true (user file, ~/.config/pairpty/config.json)");
});
