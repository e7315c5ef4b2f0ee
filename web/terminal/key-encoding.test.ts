import { expect, test } from "vitest";
import {
  toAltKey,
  toControlKey,
  isReport,
  encodeSpecialKey,
  toFieldInput,
} from "./key-encoding.ts";

const ESC = "\u001B";

test("W84 focus and mouse reports are told from typing", () => {
  for (const one of ["[I", "[O", "[<0;12;3M", "[<0;12;3m", "[35;10;4M", "[M !!"])
    expect(isReport(ESC + one), one).toBe(true);
  for (const one of ["", "[A", "OI", "[1;5A", "[200~x\u001B[201~", "[1;2R", "[II"])
    expect(isReport(ESC + one), one).toBe(false);
  for (const one of ["I", "[I", "M"]) expect(isReport(one), one).toBe(false);
});

test("W86 the key bar's Ctrl makes what a keyboard's would", () => {
  expect(toControlKey("c")).toBe("\u0003");
  expect(toControlKey("C")).toBe("\u0003");
  expect(toControlKey("[")).toBe(ESC);
  expect(toControlKey(" ")).toBe("\0");
  expect(toControlKey("?")).toBe("\u007F");
  expect(toControlKey("é")).toBe("é");
  expect(toControlKey("pasted")).toBe("pasted");
});

test("W86 arrows take the form that the program asked for", () => {
  const none = { ctrl: false, alt: false };
  expect(encodeSpecialKey("up", false, none)).toBe(`${ESC}[A`);
  expect(encodeSpecialKey("left", true, none)).toBe(`${ESC}OD`);
  expect(encodeSpecialKey("right", true, { ctrl: true, alt: false })).toBe(`${ESC}[1;5C`);
});

test("WT11 the key bar's other keys and Alt make what a keyboard's would", () => {
  const none = { ctrl: false, alt: false };
  expect(encodeSpecialKey("home", false, none)).toBe(`${ESC}[H`);
  expect(encodeSpecialKey("end", true, none)).toBe(`${ESC}OF`);
  expect(encodeSpecialKey("page up", true, none)).toBe(`${ESC}[5~`);
  expect(encodeSpecialKey("page down", false, { ctrl: true, alt: true })).toBe(`${ESC}[6;7~`);
  expect(encodeSpecialKey("left", false, { ctrl: false, alt: true })).toBe(`${ESC}[1;3D`);
  expect(toAltKey("b")).toBe(`${ESC}b`);
  expect(toAltKey("👍")).toBe(`${ESC}👍`);
  expect(toAltKey("pasted")).toBe("pasted");
});

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
