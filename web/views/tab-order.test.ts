import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sortByOrder, moveBefore, moveBy } from "./tab-order.ts";

const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 12 });
const same = (key: string): string => key;

test("GR22 tabs stand as they were moved; new ones come behind them, as they would", () => {
  expect(sortByOrder(["a", "b", "c", "d"], ["c", "a"], same)).toEqual(["c", "a", "b", "d"]);
  expect(sortByOrder(["a", "b"], [], same)).toEqual(["a", "b"]);
  fc.assert(
    fc.property(keys, keys, (all, order) => {
      expect(sortByOrder(all, order, same).toSorted()).toEqual(all.toSorted());
      const once = sortByOrder(all, order, same);
      expect(sortByOrder(once, order, same)).toEqual(once);
    }),
  );
});

test("GR22 a tab is moved before another, to the end, or by one; none is lost", () => {
  expect(moveBefore(["a", "b", "c"], "c", "a")).toEqual(["c", "a", "b"]);
  expect(moveBefore(["a", "b", "c"], "a", undefined)).toEqual(["b", "c", "a"]);
  expect(moveBefore(["a", "b"], "x", "a")).toEqual(["a", "b"]);
  expect(moveBy(["a", "b", "c"], "b", 1)).toEqual(["a", "c", "b"]);
  expect(moveBy(["a", "b", "c"], "a", -1)).toEqual(["a", "b", "c"]);
  fc.assert(
    fc.property(keys, fc.nat(11), fc.nat(12), (all, from, to) => {
      const moved = moveBefore(all, all[from] ?? "none", all[to]);
      expect(moved.toSorted()).toEqual(all.toSorted());
    }),
  );
});
