// Property tests: invariants of layouts under any sequence of changes, and a few examples.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Arrangement } from "./arrangement.ts";
import {
  updateLayout,
  swapPanes,
  parseLayouts,
  findLayout,
  keepViews,
  placeBeside,
  removeView,
  serializeLayouts,
} from "./arrangement.ts";
import type { Layout, Side } from "./layout.ts";
import {
  getDepth,
  isSplit,
  MIN_SHARE,
  MAX_DEPTH,
  MAX_PANES,
  moveDivider,
  growView,
  listViews,
} from "./layout.ts";
import {
  getHalf,
  listDividers,
  findPaneOnSide,
  listPanes,
  getNearestSide,
} from "./pane-geometry.ts";

const SIDES: readonly Side[] = ["left", "right", "up", "down"];
const OPPOSITE: Readonly<Record<Side, Side>> = {
  left: "right",
  right: "left",
  up: "down",
  down: "up",
};

const view = fc.integer({ min: 0, max: 11 }).map((at) => `v${at}`);
const side = fc.constantFrom(...SIDES);

type Change =
  | { do: "place"; view: string; target: string; side: Side }
  | { do: "take"; view: string }
  | { do: "swap"; view: string; other: string }
  | { do: "grow"; view: string; by: number }
  | { do: "drag"; view: string; line: number; to: number }
  | { do: "lose"; views: readonly string[] };

const place = fc.record({ do: fc.constant("place" as const), view, target: view, side });
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: place },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("take" as const), view }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("swap" as const), view, other: view }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("grow" as const), view, by: fc.double() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("drag" as const),
      view,
      line: fc.nat(7),
      to: fc.double(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("lose" as const), views: fc.array(view) }),
  },
);

function after(all: Arrangement, one: Change): Arrangement {
  switch (one.do) {
    case "place":
      return placeBeside(all, one.view, one.target, one.side) ?? all;
    case "take":
      return removeView(all, one.view);
    case "swap":
      return swapPanes(all, one.view, one.other);
    case "grow":
      return updateLayout(all, one.view, (layout) => growView(layout, one.view, one.by));
    case "drag":
      return updateLayout(all, one.view, (layout) => {
        const line = listDividers(layout)[one.line];
        return line ? moveDivider(layout, line.path, line.index, one.to) : layout;
      });
    case "lose":
      return keepViews(all, (key) => !one.views.includes(key));
    default:
      return one satisfies never;
  }
}

function inOrder(layout: Layout): void {
  if (!isSplit(layout)) return;
  expect(layout.parts.length).toBeGreaterThan(1);
  const sum = layout.parts.reduce((total, { share }) => total + share, 0);
  expect(sum).toBeCloseTo(1, 9);
  for (const { share, of } of layout.parts) {
    expect(share).toBeGreaterThan(MIN_SHARE - 1e-9);
    if (isSplit(of)) expect(of.across).not.toBe(layout.across);
    inOrder(of);
  }
}

/** Checks that panes fill the stage and do not overlap. */
function tiled(layout: Layout): void {
  const panes = listPanes(layout);
  expect(panes.reduce((sum, { width, height }) => sum + width * height, 0)).toBeCloseTo(1, 6);
  for (const [at, a] of panes.entries()) {
    for (const b of panes.slice(at + 1)) {
      const wide = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
      const high = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
      expect(Math.min(wide, high)).toBeLessThan(1e-6);
    }
  }
}

const reached = fc
  .array(change, { maxLength: 30 })
  .map((changes) => changes.reduce<Arrangement>(after, []));

test("GR1 GR10 GR11 whatever is split, closed, moved, dragged or forgotten: layouts stay in order", () => {
  fc.assert(
    fc.property(reached, (all) => {
      const views = all.flatMap((layout) => listViews(layout));
      expect(new Set(views).size).toBe(views.length);
      for (const layout of all) {
        expect(listViews(layout).length).toBeGreaterThan(1);
        expect(listViews(layout).length).toBeLessThanOrEqual(MAX_PANES);
        expect(getDepth(layout)).toBeLessThanOrEqual(MAX_DEPTH);
        inOrder(layout);
        tiled(layout);
        expect(listDividers(layout)).toHaveLength(listViews(layout).length - 1);
      }
      expect(parseLayouts(serializeLayouts(all)).map((layout) => listViews(layout))).toEqual(
        all.map((layout) => listViews(layout)),
      );
    }),
    { numRuns: 120 },
  );
});

test("GR11 GR16 a view stands where it was put, its target gives the room, and taken out it is alone", () => {
  fc.assert(
    fc.property(reached, view, view, side, (all, one, target, where) => {
      fc.pre(one !== target);
      const now = placeBeside(all, one, target, where);
      if (!now) return;
      const made = findLayout(now, one);
      if (!made) throw new Error("it is in no layout");
      expect(listViews(made)).toContain(target);
      expect(findPaneOnSide(made, one, OPPOSITE[where])).toBe(target);
      const back = removeView(now, one);
      expect(findLayout(back, one)).toBeUndefined();
      const groups = (each: Arrangement) =>
        each.map((layout) => listViews(layout).toSorted().join(" ")).toSorted();
      expect(groups(back)).toEqual(groups(removeView(all, one)));
    }),
    { numRuns: 120 },
  );
});

test("GR12 a neighbour lies on the side that was asked for, and from there is a way back", () => {
  fc.assert(
    fc.property(reached, side, (all, where) => {
      for (const layout of all) {
        for (const one of listPanes(layout)) {
          const next = findPaneOnSide(layout, one.view, where);
          const isAtEdge = {
            left: one.left < 1e-6,
            right: one.left + one.width > 1 - 1e-6,
            up: one.top < 1e-6,
            down: one.top + one.height > 1 - 1e-6,
          }[where];
          expect(next === undefined).toBe(isAtEdge);
          if (next) expect(findPaneOnSide(layout, next, OPPOSITE[where])).toBeDefined();
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("GR3 no text that a browser kept breaks the page", () => {
  const part = { share: 1, of: { view: "a" } };
  const bad = [
    "",
    "{",
    "null",
    "[1, null, {}]",
    JSON.stringify([{ view: "a" }]),
    JSON.stringify([{ across: "row", parts: [part, part] }]),
    JSON.stringify([{ across: "diagonal", parts: [part, { share: 1, of: { view: "b" } }] }]),
    "x".repeat(100_000),
  ];
  for (const text of bad) expect(parseLayouts(text)).toEqual([]);
  fc.assert(
    fc.property(fc.json(), (text) => {
      for (const layout of parseLayouts(text)) inOrder(layout);
    }),
  );
  const kept = [{ across: "row", parts: [part, { share: -4, of: { view: "b" } }] }];
  const [read] = parseLayouts(JSON.stringify(kept));
  if (!read) throw new Error("nothing was read");
  inOrder(read);
});

test("GR1 the ninth pane, and a split too deep, are refused", () => {
  let all: Arrangement = [];
  for (let at = 1; at < MAX_PANES; at += 1)
    all = placeBeside(all, `v${at}`, "v0", at % 2 === 0 ? "right" : "down") ?? all;
  const [layout] = all;
  if (!layout) throw new Error("no layout");
  const depth = getDepth(layout);
  expect(depth).toBe(MAX_DEPTH);
  expect(listViews(layout).length).toBeLessThan(MAX_PANES);
  let row: Arrangement = [];
  for (let at = 1; at < MAX_PANES; at += 1) row = placeBeside(row, `v${at}`, "v0", "right") ?? row;
  expect(listViews(row[0] ?? { view: "" })).toHaveLength(MAX_PANES);
  expect(placeBeside(row, "one more", "v0", "right")).toBeUndefined();
  // A move within the layout needs no extra room.
  expect(placeBeside(row, "v1", "v2", "down")).toBeDefined();
});

test("GR14 growing and a dragged line move one line, within bounds", () => {
  const row = placeBeside(placeBeside([], "b", "a", "right") ?? [], "c", "b", "right") ?? [];
  const shares = (all: Arrangement) => all[0]?.parts.map(({ share }) => Number(share.toFixed(3)));
  expect(shares(row)).toEqual([0.5, 0.25, 0.25]);
  const grown = updateLayout(row, "b", (layout) => growView(layout, "b", 0.05));
  expect(shares(grown)).toEqual([0.5, 0.3, 0.2]);
  // The last pane grows to its left.
  expect(shares(updateLayout(row, "c", (layout) => growView(layout, "c", 0.05)))).toEqual([
    0.5, 0.2, 0.3,
  ]);
  expect(shares(updateLayout(row, "a", (layout) => moveDivider(layout, [], 0, 0.99)))).toEqual([
    0.65, 0.1, 0.25,
  ]);
  expect(shares(updateLayout(row, "a", (layout) => moveDivider(layout, [], 5, 0.5)))).toEqual(
    shares(row),
  );
});

test("GR15 a tab is dropped at the edge that is nearest, and gets that half", () => {
  const box = { left: 0.5, top: 0, width: 0.5, height: 1 };
  expect(getNearestSide(box, { x: 0.55, y: 0.5 })).toBe("left");
  expect(getNearestSide(box, { x: 0.97, y: 0.5 })).toBe("right");
  expect(getNearestSide(box, { x: 0.75, y: 0.1 })).toBe("up");
  expect(getNearestSide(box, { x: 0.75, y: 0.9 })).toBe("down");
  expect(getHalf(box, "right")).toEqual({ left: 0.75, top: 0, width: 0.25, height: 1 });
  expect(getHalf(box, "down")).toEqual({ left: 0.5, top: 0.5, width: 0.5, height: 0.5 });
});
