import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fontFor, sameView } from "./size.ts";

const small = { cols: 80, rows: 24 };
const large = { cols: 120, rows: 40 };

test("W8 a hidden page has no news but being hidden", () => {
  expect(sameView({ ...small, visible: true }, { ...large, visible: true })).toBe(false);
  expect(sameView({ ...small, visible: true }, { ...small, visible: false })).toBe(false);
  expect(sameView({ ...small, visible: false }, { ...large, visible: false })).toBe(true);
});

test("W2 another's screen is shrunk until it fits, never grown", () => {
  expect(fontFor(13, 7, large, small)).toBe(13);
  expect(fontFor(13, 7, small, large)).toBe(7.5);
  expect(fontFor(13, 7, small, { cols: 900, rows: 24 })).toBe(7);
  const side = fc.integer({ min: 1, max: 1000 });
  const size = fc.record({ cols: side, rows: side });
  fc.assert(
    fc.property(size, size, (fits, other) => {
      const font = fontFor(13, 1, fits, other);
      expect(font).toBeLessThanOrEqual(13);
      if (font > 1) expect((other.cols * font) / 13).toBeLessThanOrEqual(fits.cols + 1e-9);
    }),
  );
});
