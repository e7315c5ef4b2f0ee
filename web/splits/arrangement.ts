// Owns which layouts a page has: each of two views or more, and no view in two of them or twice in
// one. A view in none has the stage for itself. Pure; what is kept of it over a reload is text.

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

/** Each has two views or more, so that there are fewer of them than tabs. */
const MOST_LAYOUTS = 32;
const MOST_CHARS = 20_000;
const MOST_KEY_CHARS = 120;

export function layoutWith(all: Arrangement, view: string): Split | undefined {
  return all.find((layout) => viewsIn(layout).includes(view));
}

/**
 * `view` beside `target`, out of wherever it stood; undefined where there is no room for it. Within one
 * layout it is moved, and the layout is no larger.
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

/** It has the stage for itself from now on. */
export function taken(all: Arrangement, view: string): Arrangement {
  return limited(all, (one) => one !== view);
}

/** Without views that are not there. */
export function limited(all: Arrangement, isThere: (view: string) => boolean): Arrangement {
  if (all.every((layout) => viewsIn(layout).every(isThere))) return all;
  return all.flatMap((layout) => {
    const left = only(layout, isThere);
    return left && isSplit(left) ? [left] : [];
  });
}

/** Two panes change places; nothing changes where they are not of one layout. */
export function exchanged(all: Arrangement, one: string, other: string): Arrangement {
  return changed(all, one, (layout) =>
    viewsIn(layout).includes(other) ? swapped(layout, one, other) : layout,
  );
}

/** The layout that has this view, as `by` makes it. */
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

/** What was kept, by whatever version of the page: what is not in order is left out. */
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
    // Somebody else's text under our name.
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
