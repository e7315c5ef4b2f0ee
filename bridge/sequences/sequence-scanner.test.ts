import { expect, test } from "vitest";
import { SequenceScanner } from "./sequence-scanner.ts";
import type { Sequence } from "./sequence.ts";
import { MAX_TEXT_BYTES } from "./sequence.ts";

test.each([
  ["an ESC with intermediates", "\x1b", " ", "c"],
  ["a CSI with parameters", "\x1b[", "1", "h"],
  ["a CSI with intermediates", "\x1b[", "!", "p"],
  ["a DCS with parameters", "\x1bP", "1;", "q\x1b"],
])("F4 %s without end gathers no memory, and says nothing", (_, begin, part, end) => {
  const found: string[] = [];
  const scanner = new SequenceScanner(({ kind }) => found.push(kind));
  // In pieces: a sequence that is complete in one chunk needs no memory.
  const pieces = [begin, ...Array.from({ length: 2 * MAX_TEXT_BYTES }, () => part), end];
  for (const piece of pieces) scanner.scan(Buffer.from(piece), 0);
  expect(found).toEqual([]);
});

test("F4 behind one without end the next is found", () => {
  const found: string[] = [];
  const scanner = new SequenceScanner(({ final, start }) => found.push(`${final} at ${start}`));
  const endless = `\x1b${" ".repeat(2 * MAX_TEXT_BYTES)}`;
  scanner.scan(Buffer.from(`${endless}c\x1b[?1h`), 0);
  expect(found).toEqual([`h at ${endless.length + 1}`]);
});

test.each(["\x1b[6n", "\x1b]2;x\x07", "\u009b6n"])(
  "F13 what breaks a text off begins behind that text: %j",
  (breaking) => {
    for (const text of ["\x1bP1$r", "\x1b]52;c"]) {
      const found: string[] = [];
      const bytes = Buffer.from(text + breaking);
      const take = ({ start, end }: Sequence) => found.push(bytes.toString("utf8", start, end));
      const scanner = new SequenceScanner(take);
      for (const [at, byte] of bytes.entries()) scanner.scan(Buffer.of(byte), at);
      expect(found).toEqual([text, breaking]);
    }
  },
);
