// Owns the set of layouts of a page: each has at least two views, and a view is in at most one layout, once.
// A view without a layout fills the stage. Pure; serialised as text for reloads.

import type { Layout, Side, Split } from "./layout.ts";
import {
  insertBeside,
  getDepth,
  isSplit,
  MAX_DEPTH,
  MAX_PANES,
  filterViews,
  swapViews,
  normalize,
  listViews,
} from "./layout.ts";

export type Arrangement = readonly Split[];

/** Each layout has at least two views, so there are fewer layouts than tabs. */
const MAX_LAYOUTS = 32;
const MAX_CHARS = 20_000;
const MAX_KEY_CHARS = 120;

/** Returns the layout that contains the view. */
export function findLayout(all: Arrangement, view: string): Split | undefined {
  return all.find((layout) => listViews(layout).includes(view));
}

/**
 * Moves `view` beside `target`, out of its previous layout; returns undefined if there is no room. A move
 * within one layout does not make it larger.
 */
export function placeBeside(
  all: Arrangement,
  view: string,
  target: string,
  side: Side,
): Arrangement | undefined {
  if (view === target) return all;
  const rest = removeView(all, view);
  const layout = findLayout(rest, target);
  const grown = insertBeside(layout ?? { view: target }, target, view, side);
  if (!grown || !isSplit(grown)) return undefined;
  const others = rest.filter((one) => one !== layout);
  return others.length < MAX_LAYOUTS ? [...others, grown] : undefined;
}

/** Takes the view out of its layout, so that it fills the stage. */
export function removeView(all: Arrangement, view: string): Arrangement {
  return keepViews(all, (one) => one !== view);
}

/** Removes the views for which `isOpen` is false; a layout with fewer than two left is dropped. */
export function keepViews(all: Arrangement, isOpen: (view: string) => boolean): Arrangement {
  if (all.every((layout) => listViews(layout).every(isOpen))) return all;
  return all.flatMap((layout) => {
    const left = filterViews(layout, isOpen);
    return left && isSplit(left) ? [left] : [];
  });
}

/** Swaps two panes; returns `all` unchanged if they are not in the same layout. */
export function swapPanes(all: Arrangement, one: string, other: string): Arrangement {
  return updateLayout(all, one, (layout) =>
    listViews(layout).includes(other) ? swapViews(layout, one, other) : layout,
  );
}

/** Replaces the layout that contains the view by the result of `update`. */
export function updateLayout(
  all: Arrangement,
  view: string,
  update: (layout: Layout) => Layout,
): Arrangement {
  const layout = findLayout(all, view);
  const next = layout && update(layout);
  if (!next || !isSplit(next)) return all;
  return all.map((one) => (one === layout ? next : one));
}

export function serializeLayouts(all: Arrangement): string {
  return JSON.stringify(all);
}

/** Parses stored text, which another version of the page may have written; drops invalid layouts. */
export function parseLayouts(text: string): Arrangement {
  if (text.length > MAX_CHARS) return [];
  const seen = new Set<string>();
  return toList(parseJson(text))
    .slice(0, MAX_LAYOUTS)
    .flatMap((value) => {
      const read = parseLayout(value, 0);
      const layout = read && normalize(read);
      if (!layout || !isSplit(layout)) return [];
      const views = listViews(layout);
      const isNew = new Set(views).size === views.length && views.every((view) => !seen.has(view));
      if (!isNew || views.length > MAX_PANES || getDepth(layout) > MAX_DEPTH) return [];
      for (const view of views) seen.add(view);
      return [layout];
    });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: not written by this page.
    return undefined;
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parseLayout(value: unknown, depth: number): Layout | undefined {
  if (typeof value !== "object" || value === null || depth > 2 * MAX_DEPTH) return undefined;
  if ("view" in value) {
    const { view } = value;
    const isKey = typeof view === "string" && view !== "" && view.length <= MAX_KEY_CHARS;
    return isKey ? { view } : undefined;
  }
  if (!("across" in value) || !("parts" in value)) return undefined;
  const { across } = value;
  if (across !== "row" && across !== "column") return undefined;
  const parts = toList(value.parts).flatMap((part) => {
    if (typeof part !== "object" || part === null || !("of" in part)) return [];
    const of = parseLayout(part.of, depth + 1);
    const share = "share" in part && typeof part.share === "number" ? part.share : 0;
    return of ? [{ share, of }] : [];
  });
  return parts.length === 0 || parts.length > MAX_PANES ? undefined : { across, parts };
}
