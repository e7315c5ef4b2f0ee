// Owns this page's splits: the layouts, which the browser stores for each workspace, and the actions on them.
// layout.ts and arrangement.ts hold the pure operations, panes.tsx draws.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { computed, effect, signal } from "@preact/signals";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { View } from "../views/view.ts";
import { findNeighbour } from "../views/views.ts";
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
import type { Side, Split } from "./layout.ts";
import { MAX_PANES, moveDivider, growView, listViews } from "./layout.ts";
import { DropZone, Dividers, PaneHead } from "./panes.tsx";
import type { Box, Divider } from "./pane-geometry.ts";
import { listDividers, findPaneOnSide, listPanes } from "./pane-geometry.ts";

/** The same query as in splits.css: narrow pages show one pane at a time. */
const NARROW = "(max-width: 720px), (pointer: coarse) and (max-height: 500px)";

const STEP = 0.05;

const NO_ROOM = `No room for another pane (at most ${MAX_PANES}, nested four deep).`;

export class Splits {
  /** Components that the page's frame renders. */
  readonly components = { DropZone, Lines: Dividers, PaneHead };
  /** Whether the page shows only one pane at a time. */
  readonly isNarrow = signal(matchMedia(NARROW).matches);
  readonly #store: Store;
  /** Layouts as stored, including views that are not open now. */
  readonly #stored: Signal<Arrangement>;
  readonly #visible: ReadonlySignal<Arrangement>;
  readonly #disposers: readonly (() => void)[];

  constructor(store: Store, storage: { get(): string; set(text: string): void }) {
    this.#store = store;
    this.#stored = signal(parseLayouts(storage.get()));
    this.#visible = computed(() => {
      const { views } = store;
      const openKeys = new Set((views.all.value ?? []).map((view) => views.key(view)));
      return keepViews(this.#stored.value, (key) => openKeys.has(key));
    });
    const media = matchMedia(NARROW);
    const update = (): void => void (this.isNarrow.value = media.matches);
    media.addEventListener("change", update);
    this.#disposers = [
      effect(() => storage.set(serializeLayouts(this.#stored.value))),
      () => media.removeEventListener("change", update),
    ];
  }

  dispose(): void {
    for (const end of this.#disposers) end();
  }

  findLayout(key: string): Split | undefined {
    return findLayout(this.#visible.value, key);
  }

  getGroup(key: string): readonly string[] {
    const layout = this.findLayout(key);
    return layout ? listViews(layout) : [key];
  }

  getShownWith(key: string): readonly string[] {
    return this.isNarrow.value ? [key] : this.getGroup(key);
  }

  /** Returns the pane's box in fractions of the stage; undefined if the view fills the stage. */
  findBox(key: string): Box | undefined {
    const layout = this.isNarrow.value ? undefined : this.findLayout(key);
    return layout && listPanes(layout).find(({ view }) => view === key);
  }

  /** Dividers between the visible panes. */
  get dividers(): readonly Divider[] {
    const layout = this.isNarrow.value ? undefined : this.#current;
    return layout ? listDividers(layout) : [];
  }

  /** Moves a view beside `target`; shows a toast and returns false if there is no room. */
  place(key: string, target: string, side: Side): boolean {
    const next = placeBeside(this.#visible.peek(), key, target, side);
    if (!next) this.#store.toast(NO_ROOM);
    else this.#stored.value = next;
    return next !== undefined;
  }

  /** Opens a terminal beside a view; for a user without edit rights, moves another tab there instead. */
  async split(session: SessionActions, view: View, side: Side): Promise<void> {
    const { views, kinds, mayEdit } = this.#store;
    const target = views.key(view);
    if (!mayEdit.peek()) return this.#placeOtherTab(target, side);
    // Checked before the terminal is started.
    if (!placeBeside(this.#visible.peek(), "new", target, side))
      return this.#store.inputHold.onFailed(NO_ROOM);
    await session.spawn(getHalfSize(session.newTerminalSize, side), (id) => {
      this.place(kinds.terminal.key(toTerminalView(id)), target, side);
    });
    return undefined;
  }

  /** Takes the view out of its split; its neighbour becomes active. */
  takeOut(view: View): void {
    const { views } = this.#store;
    const key = views.key(view);
    const next = views.find(findNeighbour(this.getGroup(key), key));
    this.#stored.value = removeView(this.#visible.peek(), key);
    if (next && views.isActive(view)) views.enter(next);
  }

  focusNeighbour(view: View, side: Side): void {
    const { views } = this.#store;
    const layout = this.findLayout(views.key(view));
    const next = views.find(layout && findPaneOnSide(layout, views.key(view), side));
    if (next) views.enter(next);
  }

  /** Swaps the pane with the next one; the last with the first. */
  swap(view: View): void {
    const { views } = this.#store;
    const key = views.key(view);
    const group = this.getGroup(key);
    const other = group[(group.indexOf(key) + 1) % group.length];
    if (other !== undefined) this.#stored.value = swapPanes(this.#visible.peek(), key, other);
    views.enter(view);
  }

  grow(view: View, steps: number): void {
    const key = this.#store.views.key(view);
    this.#stored.value = updateLayout(this.#visible.peek(), key, (layout) =>
      growView(layout, key, steps * STEP),
    );
  }

  /** Moves a divider; `first` is the fraction of both parts that the first one gets. */
  moveDivider({ path, index, share }: Divider, first: number): void {
    const [any] = this.#current ? listViews(this.#current) : [];
    if (any === undefined) return;
    this.#stored.value = updateLayout(this.#visible.peek(), any, (layout) =>
      moveDivider(layout, path, index, first * share),
    );
  }

  get #current(): Split | undefined {
    const { views } = this.#store;
    const current = views.current.value;
    return current && this.findLayout(views.key(current));
  }

  #placeOtherTab(target: string, side: Side): void {
    const { views } = this.#store;
    const group = this.getGroup(target);
    const other = views.all.peek()?.find((one) => !group.includes(views.key(one)));
    if (!other) return this.#store.toast("No other tab to show beside this one.");
    if (this.place(views.key(other), target, side)) views.enter(other);
    return undefined;
  }
}

/** Returns the expected size of the new pane, so that its program starts at about the final size. */
function getHalfSize(
  room: SessionActions["newTerminalSize"],
  side: Side,
): { cols?: number; rows?: number } {
  if (!room) return {};
  const isRow = side === "left" || side === "right";
  return isRow
    ? { cols: Math.max(2, Math.floor(room.cols / 2)) }
    : { rows: Math.max(2, Math.floor(room.rows / 2)) };
}
