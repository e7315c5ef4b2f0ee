// Owns this page's splits: the layouts, which the browser stores for each workspace, and the actions on them.
// layout.ts and arrangement.ts hold the pure operations, panes.tsx draws.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { computed, effect, signal } from "@preact/signals";
import type { Acting } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import { viewOf } from "../session/terminals.ts";
import type { View } from "../views/view.ts";
import { nextTo } from "../views/views.ts";
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
import type { Side, Split } from "./layout.ts";
import { MOST_PANES, moved, resized, viewsIn } from "./layout.ts";
import { DropZone, Lines, PaneHead } from "./panes.tsx";
import type { Box, Line } from "./places.ts";
import { linesOf, neighbourOf, panesOf } from "./places.ts";

/** The same query as in splits.css: narrow pages show one pane at a time. */
const NARROW = "(max-width: 720px), (pointer: coarse) and (max-height: 500px)";

const STEP = 0.05;

const NO_ROOM = `No room for another pane (at most ${MOST_PANES}, nested four deep).`;

export class Splits {
  /** Components that the page's frame renders. */
  readonly parts = { DropZone, Lines, PaneHead };
  /** Whether the page shows only one pane at a time. */
  readonly isNarrow = signal(matchMedia(NARROW).matches);
  readonly #store: Store;
  /** Layouts as stored, including views that are not open now. */
  readonly #kept: Signal<Arrangement>;
  readonly #all: ReadonlySignal<Arrangement>;
  readonly #ends: readonly (() => void)[];

  constructor(store: Store, keeping: { get(): string; set(text: string): void }) {
    this.#store = store;
    this.#kept = signal(fromText(keeping.get()));
    this.#all = computed(() => {
      const { views } = store;
      const there = new Set((views.all.value ?? []).map((view) => views.key(view)));
      return limited(this.#kept.value, (key) => there.has(key));
    });
    const media = matchMedia(NARROW);
    const look = (): void => void (this.isNarrow.value = media.matches);
    media.addEventListener("change", look);
    this.#ends = [
      effect(() => keeping.set(toText(this.#kept.value))),
      () => media.removeEventListener("change", look),
    ];
  }

  dispose(): void {
    for (const end of this.#ends) end();
  }

  layoutOf(key: string): Split | undefined {
    return layoutWith(this.#all.value, key);
  }

  groupOf(key: string): readonly string[] {
    const layout = this.layoutOf(key);
    return layout ? viewsIn(layout) : [key];
  }

  shownWith(key: string): readonly string[] {
    return this.isNarrow.value ? [key] : this.groupOf(key);
  }

  /** Returns the pane's box in fractions of the stage; undefined if the view fills the stage. */
  boxOf(key: string): Box | undefined {
    const layout = this.isNarrow.value ? undefined : this.layoutOf(key);
    return layout && panesOf(layout).find(({ view }) => view === key);
  }

  /** Dividers between the visible panes. */
  get lines(): readonly Line[] {
    const layout = this.isNarrow.value ? undefined : this.#current;
    return layout ? linesOf(layout) : [];
  }

  /** Moves a view beside `target`; shows a toast and returns false if there is no room. */
  place(key: string, target: string, side: Side): boolean {
    const next = placed(this.#all.peek(), key, target, side);
    if (!next) this.#store.toast(NO_ROOM);
    else this.#kept.value = next;
    return next !== undefined;
  }

  /** Opens a terminal beside a view; for a user without edit rights, moves another tab there instead. */
  async split(session: Acting, view: View, side: Side): Promise<void> {
    const { views, kinds, mayEdit } = this.#store;
    const target = views.key(view);
    if (!mayEdit.peek()) return this.#bringAnother(target, side);
    // Checked before the terminal is started.
    if (!placed(this.#all.peek(), "new", target, side))
      return this.#store.inputHold.failed(NO_ROOM);
    await session.spawn(halfOf(session.room, side), (id) => {
      this.place(kinds.terminal.key(viewOf(id)), target, side);
    });
    return undefined;
  }

  /** Takes the view out of its split; its neighbour becomes active. */
  take(view: View): void {
    const { views } = this.#store;
    const key = views.key(view);
    const next = views.find(nextTo(this.groupOf(key), key));
    this.#kept.value = taken(this.#all.peek(), key);
    if (next && views.isActive(view)) views.enter(next);
  }

  go(view: View, side: Side): void {
    const { views } = this.#store;
    const layout = this.layoutOf(views.key(view));
    const next = views.find(layout && neighbourOf(layout, views.key(view), side));
    if (next) views.enter(next);
  }

  /** Swaps the pane with the next one; the last with the first. */
  swap(view: View): void {
    const { views } = this.#store;
    const key = views.key(view);
    const group = this.groupOf(key);
    const other = group[(group.indexOf(key) + 1) % group.length];
    if (other !== undefined) this.#kept.value = exchanged(this.#all.peek(), key, other);
    views.enter(view);
  }

  grow(view: View, steps: number): void {
    const key = this.#store.views.key(view);
    this.#kept.value = changed(this.#all.peek(), key, (layout) =>
      resized(layout, key, steps * STEP),
    );
  }

  /** Moves a divider; `first` is the fraction of both parts that the first one gets. */
  move({ path, index, share }: Line, first: number): void {
    const [any] = this.#current ? viewsIn(this.#current) : [];
    if (any === undefined) return;
    this.#kept.value = changed(this.#all.peek(), any, (layout) =>
      moved(layout, path, index, first * share),
    );
  }

  get #current(): Split | undefined {
    const { views } = this.#store;
    const current = views.current.value;
    return current && this.layoutOf(views.key(current));
  }

  #bringAnother(target: string, side: Side): void {
    const { views } = this.#store;
    const group = this.groupOf(target);
    const other = views.all.peek()?.find((one) => !group.includes(views.key(one)));
    if (!other) return this.#store.toast("No other tab to show beside this one.");
    if (this.place(views.key(other), target, side)) views.enter(other);
    return undefined;
  }
}

/** Returns the expected size of the new pane, so that its program starts at about the final size. */
function halfOf(room: Acting["room"], side: Side): { cols?: number; rows?: number } {
  if (!room) return {};
  const isRow = side === "left" || side === "right";
  return isRow
    ? { cols: Math.max(2, Math.floor(room.cols / 2)) }
    : { rows: Math.max(2, Math.floor(room.rows / 2)) };
}
