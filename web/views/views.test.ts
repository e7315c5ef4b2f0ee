// The views of a page, of two kinds that are independent of each other.

import { signal } from "@preact/signals";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Views, sortByOrder, moveBefore, moveBy } from "./views.ts";

type Shown = { kind: "terminal"; terminalId: string } | { kind: "note"; title: string };

const terminal = (terminalId: string): Shown => ({ kind: "terminal", terminalId });
const NOTE: Shown = { kind: "note", title: "a" };

function pageWith(...shown: Shown[]) {
  const list = signal<readonly Shown[] | undefined>(shown.length === 0 ? undefined : shown);
  const kept: { key?: string } = {};
  const open = () =>
    new Views<Shown>({
      list: () => list.value,
      getKey: (view) => (view.kind === "terminal" ? view.terminalId : `note-${view.title}`),
      remembered: { get: () => kept.key, set: (key) => (kept.key = key) },
    });
  return { list, kept, open, views: open() };
}

test("W21 the first is in use, or the one from before the reload", () => {
  const { list, views, open } = pageWith();
  expect([views.all.value, views.current.value]).toEqual([undefined, undefined]);
  list.value = [];
  expect(views.current.value).toBeUndefined();
  list.value = [terminal("a"), NOTE];
  expect(views.current.value).toEqual(terminal("a"));
  views.activate(NOTE);
  expect(open().current.value).toEqual(NOTE);
  // New views do not change the current one.
  list.value = [terminal("b"), terminal("a"), NOTE];
  expect(views.current.value).toEqual(NOTE);
});

test("W21 a view is what it shows: another object for the same thing is the same view", () => {
  const { views } = pageWith(terminal("a"), NOTE);
  views.activate(terminal("a"));
  expect(views.isActive(terminal("a"))).toBe(true);
  // Ids are separate for each kind.
  expect(views.isActive(NOTE)).toBe(false);
});

test("W105 one that was looked at stays opened, and has news only while it is out of use", () => {
  const { views } = pageWith(terminal("a"), terminal("b"), NOTE);
  const opened = () => [terminal("a"), terminal("b"), NOTE].map((view) => views.isOpened(view));
  expect(opened()).toEqual([true, false, false]);
  views.markUnread(terminal("a"));
  views.markUnread(NOTE);
  expect([views.isUnread(terminal("a")), views.isUnread(NOTE)]).toEqual([false, true]);
  views.activate(NOTE);
  expect(views.isUnread(NOTE)).toBe(false);
  expect(opened()).toEqual([true, false, true]);
});

test("W2 stepping goes around, over all kinds", () => {
  const { views } = pageWith(terminal("a"), NOTE, terminal("b"));
  expect([views.findNeighbour(1), views.findNeighbour(-1)]).toEqual([NOTE, terminal("b")]);
  views.activate(terminal("b"));
  expect(views.findNeighbour(1)).toEqual(terminal("a"));
  expect(pageWith().views.findNeighbour(1)).toBeUndefined();
});

test("W106 the neighbour of one that goes is shown and gets the cursor", () => {
  const { list, views } = pageWith(terminal("a"), NOTE, terminal("b"));
  const goes = (view: Shown): void => {
    views.leave(view);
    list.value = list.value?.filter((one) => one !== view);
  };
  const [first, , last] = list.value ?? [];
  views.activate(NOTE);
  goes(NOTE);
  expect([views.current.value, views.focus.value]).toEqual([last, 1]);
  if (last) goes(last);
  expect([views.current.value, views.focus.value]).toEqual([first, 2]);
  if (first) goes(first);
  expect([views.current.value, views.focus.value]).toEqual([undefined, 2]);
});

test("W2 one that goes out of use elsewhere moves no one", () => {
  const { list, views } = pageWith(terminal("a"), NOTE);
  views.leave(NOTE);
  list.value = [terminal("a")];
  expect([views.current.value, views.focus.value]).toEqual([terminal("a"), 0]);
});

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
