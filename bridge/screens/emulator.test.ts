import { expect, test } from "vitest";
import { createEmulator, Emulator, writeNow } from "./emulator.ts";

function lines(text: string): string[] {
  const terminal = createEmulator(20, 5);
  writeNow(terminal, text);
  const { active } = terminal.buffer;
  return Array.from({ length: 3 }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
}

test("WT75 words stand where a picture was printed, on the normal screen alone", () => {
  expect(lines("a\u001BPq#1~~\u001B\\\r\nb")).toEqual(["a[picture]", "b", ""]);
  // The cursor is below its left edge, or after the picture.
  expect(lines("a\u001BP0;1q~~\u001B\\x")).toEqual(["axpicture]", "", ""]);
  expect(lines("a\u001B]1337;File=inline=1;width=4:AAAA\u0007x")).toEqual(["a[picture]x", "", ""]);
  expect(lines("a\u001B]1337;File=name=eA==:AAAA\u0007\u001B]1337;SetMark\u0007x")).toEqual([
    "ax",
    "",
    "",
  ]);
  expect(lines("\u001B[?1049h\u001B[Ha\u001BPq~\u001B\\b")).toEqual(["ab", "", ""]);
});

test("WT75 a question about the terminal's settings is no picture", () => {
  const emulator = new Emulator(20, 5);
  expect(emulator.query("\u001BP$qm\u001B\\")).toContain("$r");
  expect(emulator.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe("");
});
