// Property tests: invariants of layouts under any sequence of changes, and a few examples.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Arrangement } from "./arrangement.ts";
import {
  changed,
  exchanged,
  fromText,
  layoutWith,
  limited,
  placed,
  taken,
  toText,
} from "./arrangement.ts";
import type { Layout, Side } from "./layout.ts";
import {
  depthOf,
  isSplit,
  LEAST_SHARE,
  MOST_DEPTH,
  MOST_PANES,
  moved,
  resized,
  viewsIn,
} from "./layout.ts";
import { halfOf, linesOf, neighbourOf, panesOf, sideAt } from "./places.ts";

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
      return placed(all, one.view, one.target, one.side) ?? all;
    case "take":
      return taken(all, one.view);
    case "swap":
      return exchanged(all, one.view, one.other);
    case "grow":
      return changed(all, one.view, (layout) => resized(layout, one.view, one.by));
    case "drag":
      return changed(all, one.view, (layout) => {
        const line = linesOf(layout)[one.line];
        return line ? moved(layout, line.path, line.index, one.to) : layout;
      });
    case "lose":
      return limited(all, (key) => !one.views.includes(key));
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
    expect(share).toBeGreaterThan(LEAST_SHARE - 1e-9);
    if (isSplit(of)) expect(of.across).not.toBe(layout.across);
    inOrder(of);
  }
}

/** Checks that panes fill the stage and do not overlap. */
function tiled(layout: Layout): void {
  const panes = panesOf(layout);
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
      const views = all.flatMap((layout) => viewsIn(layout));
      expect(new Set(views).size).toBe(views.length);
      for (const layout of all) {
        expect(viewsIn(layout).length).toBeGreaterThan(1);
        expect(viewsIn(layout).length).toBeLessThanOrEqual(MOST_PANES);
        expect(depthOf(layout)).toBeLessThanOrEqual(MOST_DEPTH);
        inOrder(layout);
        tiled(layout);
        expect(linesOf(layout)).toHaveLength(viewsIn(layout).length - 1);
      }
      expect(fromText(toText(all)).map((layout) => viewsIn(layout))).toEqual(
        all.map((layout) => viewsIn(layout)),
      );
    }),
    { numRuns: 120 },
  );
});

test("GR11 GR16 a view stands where it was put, its target gives the room, and taken out it is alone", () => {
  fc.assert(
    fc.property(reached, view, view, side, (all, one, target, where) => {
      fc.pre(one !== target);
      const now = placed(all, one, target, where);
      if (!now) return;
      const made = layoutWith(now, one);
      if (!made) throw new Error("it is in no layout");
      expect(viewsIn(made)).toContain(target);
      expect(neighbourOf(made, one, OPPOSITE[where])).toBe(target);
      const back = taken(now, one);
      expect(layoutWith(back, one)).toBeUndefined();
      const groups = (each: Arrangement) =>
        each.map((layout) => viewsIn(layout).toSorted().join(" ")).toSorted();
      expect(groups(back)).toEqual(groups(taken(all, one)));
    }),
    { numRuns: 120 },
  );
});

test("GR12 a neighbour lies on the side that was asked for, and from there is a way back", () => {
  fc.assert(
    fc.property(reached, side, (all, where) => {
      for (const layout of all) {
        for (const one of panesOf(layout)) {
          const next = neighbourOf(layout, one.view, where);
          const isAtEdge = {
            left: one.left < 1e-6,
            right: one.left + one.width > 1 - 1e-6,
            up: one.top < 1e-6,
            down: one.top + one.height > 1 - 1e-6,
          }[where];
          expect(next === undefined).toBe(isAtEdge);
          if (next) expect(neighbourOf(layout, next, OPPOSITE[where])).toBeDefined();
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
  for (const text of bad) expect(fromText(text)).toEqual([]);
  fc.assert(
    fc.property(fc.json(), (text) => {
      for (const layout of fromText(text)) inOrder(layout);
    }),
  );
  const kept = [{ across: "row", parts: [part, { share: -4, of: { view: "b" } }] }];
  const [read] = fromText(JSON.stringify(kept));
  if (!read) throw new Error("nothing was read");
  inOrder(read);
});

test("GR1 the ninth pane, and a split too deep, are refused", () => {
  let all: Arrangement = [];
  for (let at = 1; at < MOST_PANES; at += 1)
    all = placed(all, `v${at}`, "v0", at % 2 === 0 ? "right" : "down") ?? all;
  const [layout] = all;
  if (!layout) throw new Error("no layout");
  const depth = depthOf(layout);
  expect(depth).toBe(MOST_DEPTH);
  expect(viewsIn(layout).length).toBeLessThan(MOST_PANES);
  let row: Arrangement = [];
  for (let at = 1; at < MOST_PANES; at += 1) row = placed(row, `v${at}`, "v0", "right") ?? row;
  expect(viewsIn(row[0] ?? { view: "" })).toHaveLength(MOST_PANES);
  expect(placed(row, "one more", "v0", "right")).toBeUndefined();
  // A move within the layout needs no extra room.
  expect(placed(row, "v1", "v2", "down")).toBeDefined();
});

test("GR14 growing and a dragged line move one line, within bounds", () => {
  const row = placed(placed([], "b", "a", "right") ?? [], "c", "b", "right") ?? [];
  const shares = (all: Arrangement) => all[0]?.parts.map(({ share }) => Number(share.toFixed(3)));
  expect(shares(row)).toEqual([0.5, 0.25, 0.25]);
  const grown = changed(row, "b", (layout) => resized(layout, "b", 0.05));
  expect(shares(grown)).toEqual([0.5, 0.3, 0.2]);
  // The last pane grows to its left.
  expect(shares(changed(row, "c", (layout) => resized(layout, "c", 0.05)))).toEqual([
    0.5, 0.2, 0.3,
  ]);
  expect(shares(changed(row, "a", (layout) => moved(layout, [], 0, 0.99)))).toEqual([
    0.65, 0.1, 0.25,
  ]);
  expect(shares(changed(row, "a", (layout) => moved(layout, [], 5, 0.5)))).toEqual(shares(row));
});

test("GR15 a tab is dropped at the edge that is nearest, and gets that half", () => {
  const box = { left: 0.5, top: 0, width: 0.5, height: 1 };
  expect(sideAt(box, { x: 0.55, y: 0.5 })).toBe("left");
  expect(sideAt(box, { x: 0.97, y: 0.5 })).toBe("right");
  expect(sideAt(box, { x: 0.75, y: 0.1 })).toBe("up");
  expect(sideAt(box, { x: 0.75, y: 0.9 })).toBe("down");
  expect(halfOf(box, "right")).toEqual({ left: 0.75, top: 0, width: 0.25, height: 1 });
  expect(halfOf(box, "down")).toEqual({ left: 0.5, top: 0.5, width: 0.5, height: 0.5 });
});
