// Owns the set of layouts of a page: each has at least two views, and a view is in at most one layout, once.
// A view without a layout fills the stage. Pure; serialised as text for reloads.

import type { Layout, Side, Split } from "./layout.ts";
import {
  beside,
  depthOf,
  isSplit,
  MOST_DEPTH,
  MOST_PANES,
  only,
  swapped,
  tidied,
  viewsIn,
} from "./layout.ts";

export type Arrangement = readonly Split[];

/** Each layout has at least two views, so there are fewer layouts than tabs. */
const MOST_LAYOUTS = 32;
const MOST_CHARS = 20_000;
const MOST_KEY_CHARS = 120;

/** Returns the layout that contains the view. */
export function layoutWith(all: Arrangement, view: string): Split | undefined {
  return all.find((layout) => viewsIn(layout).includes(view));
}

/**
 * Moves `view` beside `target`, out of its previous layout; returns undefined if there is no room. A move
 * within one layout does not make it larger.
 */
export function placed(
  all: Arrangement,
  view: string,
  target: string,
  side: Side,
): Arrangement | undefined {
  if (view === target) return all;
  const rest = taken(all, view);
  const layout = layoutWith(rest, target);
  const grown = beside(layout ?? { view: target }, target, view, side);
  if (!grown || !isSplit(grown)) return undefined;
  const others = rest.filter((one) => one !== layout);
  return others.length < MOST_LAYOUTS ? [...others, grown] : undefined;
}

/** Takes the view out of its layout, so that it fills the stage. */
export function taken(all: Arrangement, view: string): Arrangement {
  return limited(all, (one) => one !== view);
}

/** Removes the views for which `isThere` is false; a layout with fewer than two left is dropped. */
export function limited(all: Arrangement, isThere: (view: string) => boolean): Arrangement {
  if (all.every((layout) => viewsIn(layout).every(isThere))) return all;
  return all.flatMap((layout) => {
    const left = only(layout, isThere);
    return left && isSplit(left) ? [left] : [];
  });
}

/** Swaps two panes; returns `all` unchanged if they are not in the same layout. */
export function exchanged(all: Arrangement, one: string, other: string): Arrangement {
  return changed(all, one, (layout) =>
    viewsIn(layout).includes(other) ? swapped(layout, one, other) : layout,
  );
}

/** Replaces the layout that contains the view by the result of `by`. */
export function changed(
  all: Arrangement,
  view: string,
  by: (layout: Layout) => Layout,
): Arrangement {
  const layout = layoutWith(all, view);
  const next = layout && by(layout);
  if (!next || !isSplit(next)) return all;
  return all.map((one) => (one === layout ? next : one));
}

export function toText(all: Arrangement): string {
  return JSON.stringify(all);
}

/** Parses stored text, which another version of the page may have written; drops invalid layouts. */
export function fromText(text: string): Arrangement {
  if (text.length > MOST_CHARS) return [];
  const seen = new Set<string>();
  return listOf(parsed(text))
    .slice(0, MOST_LAYOUTS)
    .flatMap((value) => {
      const read = layoutOf(value, 0);
      const layout = read && tidied(read);
      if (!layout || !isSplit(layout)) return [];
      const views = viewsIn(layout);
      const isNew = new Set(views).size === views.length && views.every((view) => !seen.has(view));
      if (!isNew || views.length > MOST_PANES || depthOf(layout) > MOST_DEPTH) return [];
      for (const view of views) seen.add(view);
      return [layout];
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: not written by this page.
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function layoutOf(value: unknown, depth: number): Layout | undefined {
  if (typeof value !== "object" || value === null || depth > 2 * MOST_DEPTH) return undefined;
  if ("view" in value) {
    const { view } = value;
    const isKey = typeof view === "string" && view !== "" && view.length <= MOST_KEY_CHARS;
    return isKey ? { view } : undefined;
  }
  if (!("across" in value) || !("parts" in value)) return undefined;
  const { across } = value;
  if (across !== "row" && across !== "column") return undefined;
  const parts = listOf(value.parts).flatMap((part) => {
    if (typeof part !== "object" || part === null || !("of" in part)) return [];
    const of = layoutOf(part.of, depth + 1);
    const share = "share" in part && typeof part.share === "number" ? part.share : 0;
    return of ? [{ share, of }] : [];
  });
  return parts.length === 0 || parts.length > MOST_PANES ? undefined : { across, parts };
}
