import * as fc from "fast-check";
import { expect, test } from "vitest";
import { getLowSetting, isSameReport, candidateSettings } from "./screen-size.ts";

const small = { cols: 80, rows: 24 };
const large = { cols: 120, rows: 40 };

test("W81 a hidden page has no news but being hidden", () => {
  expect(isSameReport({ ...small, visible: true }, { ...large, visible: true })).toBe(false);
  expect(isSameReport({ ...small, visible: true }, { ...small, visible: false })).toBe(false);
  expect(isSameReport({ ...small, visible: false }, { ...large, visible: false })).toBe(true);
});

const normal = { font: 13, lineHeight: 1.2 };

const bounds = { least: 4, most: 19 };

test("W82 WT9 another's screen is tried in ever smaller letters, each with closer lines first", () => {
  expect([...candidateSettings(normal, bounds, small, small)]).toEqual([normal]);
  const narrow = [...candidateSettings(normal, bounds, large, { cols: 120, rows: 41 })];
  const from = narrow.findIndex(({ font }) => font === 13);
  expect(narrow.slice(from, from + 3)).toEqual([
    normal,
    { font: 13, lineHeight: 1.1 },
    { font: 12.5, lineHeight: 1.2 },
  ]);
  const wide = candidateSettings(normal, { least: 7, most: 19 }, small, { cols: 900, rows: 24 });
  expect([...wide].at(-1)?.font).toBe(7);
  // A smaller screen is set larger, within bounds, and never smaller than it would be.
  const larger = [...candidateSettings(normal, bounds, large, small)];
  expect(larger[0]?.font).toBe(19);
  expect(larger.at(-1)).toBe(normal);
  const side = fc.integer({ min: 1, max: 1000 });
  const size = fc.record({ cols: side, rows: side });
  fc.assert(
    fc.property(size, size, (fits, other) => {
      const tried = [...candidateSettings(normal, bounds, fits, other)];
      expect(tried.every(({ font }) => font <= 19 && font >= 4)).toBe(true);
      // Whatever the rounding, the letters that surely fit are among those tried.
      const scale = Math.min(1, fits.cols / other.cols, fits.rows / other.rows);
      const sure = Math.floor(13 * scale * 2) / 2;
      if (sure >= 4) expect(tried.some(({ font }) => font === sure)).toBe(true);
    }),
  );
});

test("WT59 where a keyboard leaves little, letters are as small as eight rows need, and never larger than one's own", () => {
  expect(getLowSetting(13, 145).font).toBe(13);
  expect(getLowSetting(13, 107).font).toBe(10);
  expect(getLowSetting(9, 107).font).toBe(9);
  expect(getLowSetting(13, 20).font).toBe(8);
});
