// Owns the layout: a tree of rows and columns whose leaves are views, by key. Every operation is pure and
// returns a normalised tree: no split with one part, no row within a row, shares that add up to 1.
// arrangement.ts owns the set of layouts.

export type Side = "left" | "right" | "up" | "down";

type Direction = "row" | "column";

export type Layout = Leaf | Split;

export interface Leaf {
  readonly view: string;
}

export interface Split {
  readonly across: Direction;
  readonly parts: readonly Part[];
}

export interface Part {
  /** Fraction of the split's width or height, 0 to 1. */
  readonly share: number;
  readonly of: Layout;
}

/** With more, panes are too small to read on any screen. */
export const MAX_PANES = 8;
/** Deeper nesting of rows and columns is hard to navigate. */
export const MAX_DEPTH = 4;
/** A smaller pane would be hard to see and to drag larger again. */
export const MIN_SHARE = 0.1;

export function isSplit(layout: Layout): layout is Split {
  return "parts" in layout;
}

/** Returns the keys of all views, in reading order. */
export function listViews(layout: Layout): readonly string[] {
  return isSplit(layout) ? layout.parts.flatMap(({ of }) => listViews(of)) : [layout.view];
}

/** Returns how deeply splits are nested; 0 for a single view. */
export function getDepth(layout: Layout): number {
  return isSplit(layout) ? 1 + Math.max(...layout.parts.map(({ of }) => getDepth(of))) : 0;
}

/** Inserts `view` on that side of `target`, which gives up half of its space; undefined beyond the limits. */
export function insertBeside(
  layout: Layout,
  target: string,
  view: string,
  side: Side,
): Layout | undefined {
  const across: Direction = side === "left" || side === "right" ? "row" : "column";
  const isBefore = side === "left" || side === "up";
  const half = (of: Layout): Part => ({ share: 0.5, of });
  const grown = mapLeaves(layout, (leaf) => {
    if (leaf.view !== target) return leaf;
    const both = [half(leaf), half({ view })];
    return { across, parts: isBefore ? both.toReversed() : both };
  });
  const tidy = grown && normalize(grown);
  if (!tidy || listViews(tidy).length > MAX_PANES || getDepth(tidy) > MAX_DEPTH) return undefined;
  return tidy;
}

/** Removes views that are not `isKept`; the others keep their proportions. Undefined if none is left. */
export function filterViews(layout: Layout, isKept: (view: string) => boolean): Layout | undefined {
  const left = mapLeaves(layout, (leaf) => (isKept(leaf.view) ? leaf : undefined));
  return left && normalize(left);
}

/** Swaps two views. */
export function swapViews(layout: Layout, one: string, other: string): Layout {
  const to = (view: string): string => {
    if (view === one) return other;
    return view === other ? one : view;
  };
  return mapLeaves(layout, ({ view }) => ({ view: to(view) })) ?? layout;
}

/** Moves the divider after the part at `index` of the split at `path`, so that the part has `share`. */
export function moveDivider(
  layout: Layout,
  path: readonly number[],
  index: number,
  share: number,
): Layout {
  if (!isSplit(layout)) return layout;
  const [next, ...rest] = path;
  if (next !== undefined) {
    const parts = layout.parts.map((part, at) =>
      at === next ? { ...part, of: moveDivider(part.of, rest, index, share) } : part,
    );
    return { ...layout, parts };
  }
  const [one, other] = [layout.parts[index], layout.parts[index + 1]];
  if (!one || !other || !Number.isFinite(share)) return layout;
  const both = one.share + other.share;
  const first = Math.min(Math.max(share, MIN_SHARE), both - MIN_SHARE);
  // Both parts already have the minimum.
  if (both < 2 * MIN_SHARE) return layout;
  const parts = layout.parts.map((part, at) => {
    if (at === index) return { ...part, share: first };
    return at === index + 1 ? { ...part, share: both - first } : part;
  });
  return { ...layout, parts };
}

/** Grows a view within its split by `by`, at the expense of its neighbour; a negative `by` shrinks it. */
export function growView(layout: Layout, view: string, by: number): Layout {
  const path = findPath(layout, view);
  const at = path?.at(-1);
  if (!path || at === undefined) return layout;
  const above = path.slice(0, -1);
  const split = findSubtree(layout, above);
  if (!split || !isSplit(split)) return layout;
  const isLast = at === split.parts.length - 1;
  const index = isLast ? at - 1 : at;
  const share = (split.parts[index]?.share ?? 0) + (isLast ? -by : by);
  return moveDivider(layout, above, index, share);
}

/** Returns the subtree at a path. */
export function findSubtree(layout: Layout, path: readonly number[]): Layout | undefined {
  const [next, ...rest] = path;
  if (next === undefined) return layout;
  const part = isSplit(layout) ? layout.parts[next] : undefined;
  return part && findSubtree(part.of, rest);
}

function findPath(layout: Layout, view: string): readonly number[] | undefined {
  if (!isSplit(layout)) return layout.view === view ? [] : undefined;
  for (const [at, { of }] of layout.parts.entries()) {
    const rest = findPath(of, view);
    if (rest) return [at, ...rest];
  }
  return undefined;
}

/** Replaces every leaf by the result of `by`, which may drop it; undefined if no leaf is left. */
function mapLeaves(layout: Layout, by: (leaf: Leaf) => Layout | undefined): Layout | undefined {
  if (!isSplit(layout)) return by(layout);
  const parts = layout.parts.flatMap(({ share, of }): Part[] => {
    const left = mapLeaves(of, by);
    return left ? [{ share, of: left }] : [];
  });
  return parts.length === 0 ? undefined : { ...layout, parts };
}

/** Normalises the tree: unwraps splits with one part, merges a row within a row, and corrects the shares. */
export function normalize(layout: Layout): Layout {
  if (!isSplit(layout)) return layout;
  const parts = layout.parts.flatMap(({ share, of }): Part[] => {
    const tidy = normalize(of);
    if (!isSplit(tidy) || tidy.across !== layout.across) return [{ share, of: tidy }];
    return tidy.parts.map((inner) => ({ share: inner.share * share, of: inner.of }));
  });
  const [first, ...others] = parts;
  if (first && others.length === 0) return first.of;
  const shares = normalizeShares(parts.map(({ share }) => share));
  return {
    across: layout.across,
    parts: parts.map(({ of }, at) => ({ share: shares[at] ?? 0, of })),
  };
}

/** Scales shares to a sum of 1 with none below the minimum; larger ones give up space in proportion. */
export function normalizeShares(shares: readonly number[]): readonly number[] {
  const wanted = shares.map((share) => (Number.isFinite(share) && share > 0 ? share : MIN_SHARE));
  const small = new Set<number>();
  for (;;) {
    const large = wanted.filter((_, at) => !small.has(at)).reduce((sum, share) => sum + share, 0);
    const room = 1 - small.size * MIN_SHARE;
    const given = wanted.map((share, at) => (small.has(at) ? MIN_SHARE : (share / large) * room));
    const next = given.findIndex((share, at) => !small.has(at) && share < MIN_SHARE);
    if (next === -1) return given;
    small.add(next);
  }
}
