import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listSteps, removeCostly } from "./feed-pacing.ts";

test("F10 the clock is looked at behind every sequence that may take long, and at the end", () => {
  const costly = ["\x1b[1000S", "\x1b[L", "\x1b[?1049h", "\x1b[2J", "\x1bc", "\x1bM", "\x1b#8"];
  const more = ["\x1b[9 @", "\x1b[9'}", "\u009b9T", "\x1b[99b", "\x1b[9I"];
  for (const sequence of [...costly, ...more]) {
    const bytes = Buffer.from(`text ${sequence}more`);
    expect([...listSteps(bytes)]).toEqual([bytes.length - 4, bytes.length]);
    expect(removeCostly(bytes).toString()).toBe("text more");
  }
  const cheap = Buffer.from("\x1b[1;31mred\x1b[0m\r\n\x1b[K\x1b]0;title\x07");
  expect([...listSteps(cheap)]).toEqual([cheap.length]);
  expect(removeCostly(cheap)).toEqual(cheap);
});

test("F10 steps rise to the end, whatever the bytes are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (bytes) => {
      const found = [...listSteps(bytes)];
      expect(found.at(-1)).toBe(bytes.length);
      expect(found.every((end, index) => end > (found[index - 1] ?? 0))).toBe(true);
    }),
  );
});
