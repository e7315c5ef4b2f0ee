import { expect, test } from "vitest";
import { Commands } from "../commands/commands.ts";
import { COMMANDS } from "../kinds.ts";
import { DEFAULTS, fontFamily, FONTS, readSettings } from "./settings.ts";

test("FR15 EC19 what is kept is read part by part, and what is no good is as it would be without", () => {
  const good = {
    font: "Fira Code",
    theme: "paper",
    bell: "flash",
    scrollback: 20_000,
    prediction: "off",
    reader: true,
    shell: ["terminal.open"],
  };
  expect(readSettings(JSON.stringify(good))).toEqual(good);
  for (const text of [null, undefined, "", "{", "[]", "7", '"x"', "null"]) {
    expect(readSettings(text)).toEqual(DEFAULTS);
  }
  const bad = {
    font: 'x"; background: url(//evil)',
    theme: "<img>",
    bell: "loud",
    scrollback: 1e9,
    prediction: true,
    reader: "yes",
    shell: ["ok", 7],
    more: 1,
  };
  expect(readSettings(JSON.stringify(bad))).toEqual(DEFAULTS);
  expect(readSettings(JSON.stringify({ ...bad, bell: "sound" }))).toEqual({
    ...DEFAULTS,
    bell: "sound",
  });
});

test("FR5 every font ends in letters of one width", () => {
  for (const font of Object.keys(FONTS)) {
    expect(fontFamily({ ...DEFAULTS, font })).toMatch(/, monospace$/);
  }
});

test("FR5 keys that were given to the shell are no command's", () => {
  const given: string[] = [];
  const commands = new Commands(COMMANDS, () => given);
  const event = { key: "n", code: "KeyN", altKey: true, ctrlKey: false, metaKey: false };
  const press = () => commands.findPressed({ ...event, shiftKey: false })?.id;
  expect(press()).toBe("terminal.open");
  given.push("terminal.open");
  expect(press()).toBeUndefined();
});
