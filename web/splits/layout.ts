// Owns what a layout is: a tree of rows and columns whose leaves are views, by key. Pure changes of it,
// each of which leaves it in order: no split of one part, no row in a row, shares that add up to one.
// Which layouts a page has is arrangement.ts.

export type Side = "left" | "right" | "up" | "down";

type Across = "row" | "column";

export type Layout = Leaf | Split;

export interface Leaf {
  readonly view: string;
}

export interface Split {
  readonly across: Across;
  readonly parts: readonly Part[];
}

export interface Part {
  /** Of the split's width or height, between 0 and 1. */
  readonly share: number;
  readonly of: Layout;
}

/** More are too small to read on any screen. */
export const MOST_PANES = 8;
/** Rows in columns in rows: deeper ones nobody can find their way in. */
export const MOST_DEPTH = 4;
/** A pane that is dragged smaller than this is one that nobody finds again. */
export const LEAST_SHARE = 0.1;

export function isSplit(layout: Layout): layout is Split {
  return "parts" in layout;
}

/** In the order in which they are read. */
export function viewsIn(layout: Layout): readonly string[] {
  return isSplit(layout) ? layout.parts.flatMap(({ of }) => viewsIn(of)) : [layout.view];
}

export function depthOf(layout: Layout): number {
  return isSplit(layout) ? 1 + Math.max(...layout.parts.map(({ of }) => depthOf(of))) : 0;
}

/** `view` on that side of `target`, which gives it half of its room; undefined where that is too much. */
export function beside(
  layout: Layout,
  target: string,
  view: string,
  side: Side,
): Layout | undefined {
  const across: Across = side === "left" || side === "right" ? "row" : "column";
  const isBefore = side === "left" || side === "up";
  const half = (of: Layout): Part => ({ share: 0.5, of });
  const grown = mapped(layout, (leaf) => {
    if (leaf.view !== target) return leaf;
    const both = [half(leaf), half({ view })];
    return { across, parts: isBefore ? both.toReversed() : both };
  });
  const tidy = grown && tidied(grown);
  if (!tidy || viewsIn(tidy).length > MOST_PANES || depthOf(tidy) > MOST_DEPTH) return undefined;
  return tidy;
}

/** Only what `isKept`; undefined where that is nothing. Those that stay share the room by what they had. */
export function only(layout: Layout, isKept: (view: string) => boolean): Layout | undefined {
  const left = mapped(layout, (leaf) => (isKept(leaf.view) ? leaf : undefined));
  return left && tidied(left);
}

/** The two change places. */
export function swapped(layout: Layout, one: string, other: string): Layout {
  const to = (view: string): string => {
    if (view === one) return other;
    return view === other ? one : view;
  };
  return mapped(layout, ({ view }) => ({ view: to(view) })) ?? layout;
}

/** Moves the line behind the part at `index` of the split at `path` so that the part has `share`. */
export function moved(
  layout: Layout,
  path: readonly number[],
  index: number,
  share: number,
): Layout {
  if (!isSplit(layout)) return layout;
  const [next, ...rest] = path;
  if (next !== undefined) {
    const parts = layout.parts.map((part, at) =>
      at === next ? { ...part, of: moved(part.of, rest, index, share) } : part,
    );
    return { ...layout, parts };
  }
  const [one, other] = [layout.parts[index], layout.parts[index + 1]];
  if (!one || !other || !Number.isFinite(share)) return layout;
  const both = one.share + other.share;
  const first = Math.min(Math.max(share, LEAST_SHARE), both - LEAST_SHARE);
  // Both have the least there is: nothing can be moved.
  if (both < 2 * LEAST_SHARE) return layout;
  const parts = layout.parts.map((part, at) => {
    if (at === index) return { ...part, share: first };
    return at === index + 1 ? { ...part, share: both - first } : part;
  });
  return { ...layout, parts };
}

/** A view gets more or less of the split that it stands in; its neighbour makes up for it. */
export function resized(layout: Layout, view: string, by: number): Layout {
  const path = pathOf(layout, view);
  const at = path?.at(-1);
  if (!path || at === undefined) return layout;
  const above = path.slice(0, -1);
  const split = partAt(layout, above);
  if (!split || !isSplit(split)) return layout;
  const isLast = at === split.parts.length - 1;
  const index = isLast ? at - 1 : at;
  const share = (split.parts[index]?.share ?? 0) + (isLast ? -by : by);
  return moved(layout, above, index, share);
}

export function partAt(layout: Layout, path: readonly number[]): Layout | undefined {
  const [next, ...rest] = path;
  if (next === undefined) return layout;
  const part = isSplit(layout) ? layout.parts[next] : undefined;
  return part && partAt(part.of, rest);
}

function pathOf(layout: Layout, view: string): readonly number[] | undefined {
  if (!isSplit(layout)) return layout.view === view ? [] : undefined;
  for (const [at, { of }] of layout.parts.entries()) {
    const rest = pathOf(of, view);
    if (rest) return [at, ...rest];
  }
  return undefined;
}

/** As it is, with other leaves; undefined where none is left. */
function mapped(layout: Layout, by: (leaf: Leaf) => Layout | undefined): Layout | undefined {
  if (!isSplit(layout)) return by(layout);
  const parts = layout.parts.flatMap(({ share, of }): Part[] => {
    const left = mapped(of, by);
    return left ? [{ share, of: left }] : [];
  });
  return parts.length === 0 ? undefined : { ...layout, parts };
}

/** A split of one is that one, a row in a row is a part of it, and shares are fair. */
export function tidied(layout: Layout): Layout {
  if (!isSplit(layout)) return layout;
  const parts = layout.parts.flatMap(({ share, of }): Part[] => {
    const tidy = tidied(of);
    if (!isSplit(tidy) || tidy.across !== layout.across) return [{ share, of: tidy }];
    return tidy.parts.map((inner) => ({ share: inner.share * share, of: inner.of }));
  });
  const [first, ...others] = parts;
  if (first && others.length === 0) return first.of;
  const shares = fair(parts.map(({ share }) => share));
  return {
    across: layout.across,
    parts: parts.map(({ of }, at) => ({ share: shares[at] ?? 0, of })),
  };
}

/** Adding up to one, none below the least; those that have more make up for it by what they have. */
export function fair(shares: readonly number[]): readonly number[] {
  const wanted = shares.map((share) => (Number.isFinite(share) && share > 0 ? share : LEAST_SHARE));
  const small = new Set<number>();
  for (;;) {
    const large = wanted.filter((_, at) => !small.has(at)).reduce((sum, share) => sum + share, 0);
    const room = 1 - small.size * LEAST_SHARE;
    const given = wanted.map((share, at) => (small.has(at) ? LEAST_SHARE : (share / large) * room));
    const next = given.findIndex((share, at) => !small.has(at) && share < LEAST_SHARE);
    if (next === -1) return given;
    small.add(next);
  }
}
