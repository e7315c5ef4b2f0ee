import { expect, test } from "vitest";
import { getColor, FACE_COLORS, getInitials } from "./header.tsx";

test("FR8 initials are of the first and the last word, whatever the name", () => {
  const names = ["Ana", "ben okoro", "Mary Jane Li", "🦊 fox", "…", "", "李小龙", "o'neil"];
  expect(names.map(getInitials)).toEqual(["A", "BO", "ML", "F", "?", "?", "李", "ON"]);
});

test("FR8 a person's colour is stable, colours differ, and white stands on each", () => {
  expect(getColor("a1b2c3d4")).toBe(getColor("a1b2c3d4"));
  const ids = Array.from({ length: 200 }, (_, at) => `peer-${at}`);
  expect(new Set(ids.map(getColor)).size).toBe(FACE_COLORS.length);
  for (const color of FACE_COLORS) {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    expect(1.05 / (luminance + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
});
