import { expect, test } from "vitest";
import { toFieldInput } from "./field-keys.ts";

const ESC = "\u001B";

const press = (key: string, held = "", text = "") =>
  toFieldInput(
    {
      key,
      altKey: held.includes("alt"),
      ctrlKey: held.includes("ctrl"),
      metaKey: held.includes("meta"),
      shiftKey: held.includes("shift"),
      isComposing: held.includes("composing"),
    },
    text,
  );

test("WT62 keys send what a terminal would send; text is the browser's to put into the field", () => {
  for (const key of ["a", "Z", "é", "%", "Shift", "Dead", "Process"])
    expect(press(key), key).toBeUndefined();
  expect(press("Enter")).toBe("\r");
  expect(press("Tab")).toBe("\t");
  expect(press("Tab", "shift")).toBe(`${ESC}[Z`);
  expect(press("Escape")).toBe(ESC);
  expect(press("ArrowUp")).toBe(`${ESC}[A`);
  expect(press("ArrowLeft", "ctrl")).toBe(`${ESC}[1;5D`);
  expect(press("Delete")).toBe(`${ESC}[3~`);
  expect(press("F5")).toBe(`${ESC}[15~`);
  expect(press("c", "ctrl")).toBe("\u0003");
  expect(press("b", "alt")).toBe(`${ESC}b`);
});

test("WT62 Backspace takes back what is in the field, and is a key where nothing is", () => {
  expect(press("Backspace", "", "ls")).toBeUndefined();
  expect(press("Backspace")).toBe("\u007F");
  expect(press("Backspace", "alt", "ls")).toBe(`${ESC}\u007F`);
});

test("WT62 what composes, pastes or is the system's stays the browser's", () => {
  expect(press("Enter", "composing")).toBeUndefined();
  expect(press("v", "ctrl")).toBeUndefined();
  expect(press("V", "ctrl shift")).toBeUndefined();
  expect(press("c", "meta")).toBeUndefined();
  expect(press("@", "ctrl alt")).toBeUndefined();
  expect(press("∫", "alt")).toBeUndefined();
});
