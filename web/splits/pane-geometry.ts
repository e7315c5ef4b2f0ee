// Owns the geometry of a layout: the boxes of its panes, the dividers between them, and neighbours.
// Pure. All lengths are fractions of the area for views, 0 to 1.

import type { Layout, Side } from "./layout.ts";
import { isSplit } from "./layout.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Pane extends Box {
  readonly view: string;
}

/** Divider after a part of a split. */
export interface Divider {
  /** True between the parts of a row, false between those of a column. */
  readonly isVertical: boolean;
  readonly path: readonly number[];
  readonly index: number;
  /** Box around the two parts that it divides. */
  readonly bounds: Box;
  /**
   * Fraction of `bounds` that the first part has; `share` is the fraction of the whole split that
   * both have.
   */
  readonly first: number;
  readonly share: number;
}

const STAGE: Box = { left: 0, top: 0, width: 1, height: 1 };

/** Tolerance for rounding errors when edges are compared. */
const EPSILON = 1e-6;

/** Returns the box of every view, in reading order. */
export function listPanes(layout: Layout, box: Box = STAGE): readonly Pane[] {
  if (!isSplit(layout)) return [{ ...box, view: layout.view }];
  return listPartBoxes(layout, box).flatMap(({ of, ...part }) => listPanes(of, part));
}

/** Returns every divider of the layout, also those of nested splits. */
export function listDividers(
  layout: Layout,
  box: Box = STAGE,
  path: readonly number[] = [],
): readonly Divider[] {
  if (!isSplit(layout)) return [];
  const boxes = listPartBoxes(layout, box);
  const isVertical = layout.across === "row";
  const own = boxes.slice(0, -1).map((one, index): Divider => {
    const other = boxes[index + 1] ?? one;
    const share = one.share + other.share;
    const both = isVertical
      ? { ...one, width: one.width + other.width }
      : { ...one, height: one.height + other.height };
    const { left, top, width, height } = both;
    const first = one.share / share;
    return { isVertical, path, index, bounds: { left, top, width, height }, first, share };
  });
  const inner = boxes.flatMap(({ of, ...part }, at) => listDividers(of, part, [...path, at]));
  return [...own, ...inner];
}

/** Returns the pane on that side with the longest common edge. */
export function findPaneOnSide(layout: Layout, view: string, side: Side): string | undefined {
  const panes = listPanes(layout);
  const from = panes.find((pane) => pane.view === view);
  if (!from) return undefined;
  const touching = panes.flatMap((pane) => {
    const length = getSharedEdge(from, pane, side);
    return length > EPSILON ? [{ view: pane.view, length }] : [];
  });
  const [longest] = touching.toSorted((a, b) => b.length - a.length);
  return longest?.view;
}

/** Returns the edge of a box that is nearest to a point in it. */
export function getNearestSide(box: Box, at: { readonly x: number; readonly y: number }): Side {
  const across = (at.x - box.left) / box.width;
  const down = (at.y - box.top) / box.height;
  const sides: readonly (readonly [Side, number])[] = [
    ["left", across],
    ["right", 1 - across],
    ["up", down],
    ["down", 1 - down],
  ];
  return sides.reduce((nearest, one) => (one[1] < nearest[1] ? one : nearest))[0];
}

/** Returns the half of a box on that side. */
export function getHalf(box: Box, side: Side): Box {
  const { left, top, width, height } = box;
  switch (side) {
    case "left":
      return { left, top, width: width / 2, height };
    case "right":
      return { left: left + width / 2, top, width: width / 2, height };
    case "up":
      return { left, top, width, height: height / 2 };
    case "down":
      return { left, top: top + height / 2, width, height: height / 2 };
    default:
      return side satisfies never;
  }
}

interface PartBox extends Box {
  readonly share: number;
  readonly of: Layout;
}

function listPartBoxes(layout: Extract<Layout, { parts: unknown }>, box: Box): readonly PartBox[] {
  let used = 0;
  return layout.parts.map(({ share, of }) => {
    const before = used;
    used += share;
    return layout.across === "row"
      ? { ...box, left: box.left + before * box.width, width: share * box.width, share, of }
      : { ...box, top: box.top + before * box.height, height: share * box.height, share, of };
  });
}

/** Returns the length of the edge that `from` shares with `other` on that side. */
function getSharedEdge(from: Box, other: Box, side: Side): number {
  const gap = {
    left: other.left + other.width - from.left,
    right: other.left - (from.left + from.width),
    up: other.top + other.height - from.top,
    down: other.top - (from.top + from.height),
  }[side];
  if (Math.abs(gap) > EPSILON) return 0;
  return side === "left" || side === "right"
    ? overlap(from.top, from.height, other.top, other.height)
    : overlap(from.left, from.width, other.left, other.width);
}

function overlap(a: number, aLength: number, b: number, bLength: number): number {
  return Math.min(a + aLength, b + bLength) - Math.max(a, b);
}
