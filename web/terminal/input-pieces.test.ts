import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INPUT_CHARS, MAX_PEER_MESSAGE } from "../../protocol/limits.ts";
import { stripControls, splitInput } from "./input-pieces.ts";

test("W2 a long paste arrives whole, in messages that the room takes", () => {
  const unit = fc.constantFrom("a", "\u001B", '"', "é", "你", "👍", "\uD83D", "\n");
  const text = fc
    .array(fc.tuple(unit, fc.integer({ min: 1, max: 60_000 })), { maxLength: 6 })
    .map((runs) => runs.map(([one, times]) => one.repeat(times)).join(""));
  fc.assert(
    fc.property(text, (whole) => {
      const parts = [...splitInput(whole)];
      expect(parts.join("") === whole).toBe(true);
      for (const data of parts) {
        expect(data.length).toBeLessThanOrEqual(MAX_INPUT_CHARS);
        const message = JSON.stringify({ type: "pty:input", id: "p".repeat(64), data });
        expect(new TextEncoder().encode(message).length).toBeLessThan(MAX_PEER_MESSAGE);
        expect(/^[\uDC00-\uDFFF]/.test(data)).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
});

test("W2 pasted text cannot end its own brackets", () => {
  expect(stripControls("\u001B[200~a\n201~\u009B200~")).toBe("a\n201~");
  expect(stripControls("a\tb\r\nc\u001B[201~rm\u0003\u009B201~\u007F 你好👍")).toBe(
    "a\tb\r\ncrm 你好👍",
  );
});

test("W2 a keystroke is one piece, and nothing is none", () => {
  expect([...splitInput("x")]).toEqual(["x"]);
  expect([...splitInput("")]).toEqual([]);
});
