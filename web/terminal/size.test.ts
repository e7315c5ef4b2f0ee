import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Claimant } from "./size.ts";
import { answered, claim, fontFor } from "./size.ts";

const small = { cols: 80, rows: 24 };
const large = { cols: 120, rows: 40 };
const me: Claimant = {
  mayEdit: true,
  visible: true,
  mine: true,
  fits: large,
  current: small,
};

test("W2 typing claims the size, also from another", () => {
  expect(claim("typed", { ...me, mine: false })).toEqual(large);
  expect(claim("asked", { ...me, mine: false })).toEqual(large);
});

test("W2 a change of the window counts only for whoever typed last", () => {
  expect(claim("refit", me)).toEqual(large);
  expect(claim("refit", { ...me, mine: false })).toBeUndefined();
});

test("W4 read-only, hidden and unmeasured pages never size a terminal", () => {
  for (const reason of ["typed", "refit", "asked"] as const) {
    expect(claim(reason, { ...me, mayEdit: false })).toBeUndefined();
    expect(claim(reason, { ...me, visible: false })).toBeUndefined();
    expect(claim(reason, { ...me, fits: undefined })).toBeUndefined();
    expect(claim(reason, { ...me, current: large })).toBeUndefined();
  }
});

test("W2 the echo of our own sizes is told from another's", () => {
  expect(answered([small, large], small)).toEqual([large]);
  expect(answered([small, large], large)).toEqual([]);
  expect(answered([small], large)).toBeUndefined();
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
