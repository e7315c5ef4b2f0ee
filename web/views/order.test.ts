import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inOrder, movedBefore, movedBy } from "./order.ts";

const keys = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 12 });
const same = (key: string): string => key;

test("GR22 tabs stand as they were moved; new ones come behind them, as they would", () => {
  expect(inOrder(["a", "b", "c", "d"], ["c", "a"], same)).toEqual(["c", "a", "b", "d"]);
  expect(inOrder(["a", "b"], [], same)).toEqual(["a", "b"]);
  fc.assert(
    fc.property(keys, keys, (all, order) => {
      expect(inOrder(all, order, same).toSorted()).toEqual(all.toSorted());
      const once = inOrder(all, order, same);
      expect(inOrder(once, order, same)).toEqual(once);
    }),
  );
});

test("GR22 a tab is moved before another, to the end, or by one; none is lost", () => {
  expect(movedBefore(["a", "b", "c"], "c", "a")).toEqual(["c", "a", "b"]);
  expect(movedBefore(["a", "b", "c"], "a", undefined)).toEqual(["b", "c", "a"]);
  expect(movedBefore(["a", "b"], "x", "a")).toEqual(["a", "b"]);
  expect(movedBy(["a", "b", "c"], "b", 1)).toEqual(["a", "c", "b"]);
  expect(movedBy(["a", "b", "c"], "a", -1)).toEqual(["a", "b", "c"]);
  fc.assert(
    fc.property(keys, fc.nat(11), fc.nat(12), (all, from, to) => {
      const moved = movedBefore(all, all[from] ?? "none", all[to]);
      expect(moved.toSorted()).toEqual(all.toSorted());
    }),
  );
});
