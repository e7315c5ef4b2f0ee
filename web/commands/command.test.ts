import { expect, test } from "vitest";
import { toKeyCaps, getDigit, formatKeys, isPressed, withDigit } from "./command.ts";

const event = (key: string, code: string, part = {}) => ({
  key,
  code,
  altKey: true,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...part,
});

test("W20 keys are told with their modifiers, no more and no fewer", () => {
  expect(isPressed("Alt+N", event("n", "KeyN"))).toBe(true);
  expect(isPressed("Alt+N", event("N", "KeyN"))).toBe(true);
  for (const other of ["ctrlKey", "shiftKey", "metaKey"])
    expect(isPressed("Alt+N", event("n", "KeyN", { [other]: true })), other).toBe(false);
  expect(isPressed("Alt+N", event("n", "KeyN", { altKey: false }))).toBe(false);
  expect(isPressed("Alt+N", event("f", "KeyF"))).toBe(false);
  const chord = { altKey: false, ctrlKey: true, shiftKey: true };
  expect(isPressed("Control+Shift+C", event("C", "KeyC", chord))).toBe(true);
  expect(isPressed("Alt+ArrowLeft", event("ArrowLeft", "ArrowLeft"))).toBe(true);
  expect(isPressed("Alt+/", event("/", "Slash"))).toBe(true);
  expect(isPressed("Delete", event("Delete", "Delete", { altKey: false }))).toBe(true);
});

test("W2 a composed letter counts by its place, a moved one by its letter", () => {
  expect(isPressed("Alt+N", event("˜", "KeyN"))).toBe(true);
  expect(isPressed("Alt+W", event("w", "Comma"))).toBe(true);
  expect(isPressed("Alt+/", event("÷", "Slash"))).toBe(true);
});

test("W93 nine keys may be one command's; zero is none of them", () => {
  expect(isPressed("Alt+1…9", event("3", "Digit3"))).toBe(true);
  expect(getDigit(event("£", "Digit3"))).toBe(3);
  expect(isPressed("Alt+1…9", event("0", "Digit0"))).toBe(false);
  expect(isPressed("Alt+0", event("0", "Digit0"))).toBe(true);
  expect(isPressed("Alt+1…9", event("n", "KeyN"))).toBe(false);
  expect(withDigit("Alt+1…9", 3)).toBe("Alt+3");
});

test("W20 keys are shown as they stand on a keyboard", () => {
  expect(toKeyCaps("Control+Shift+C")).toEqual(["Ctrl", "Shift", "C"]);
  expect(toKeyCaps("Alt+1…9")).toEqual(["Alt", "1 … 9"]);
  expect(formatKeys("Alt+ArrowLeft")).toBe("Alt+←");
});
