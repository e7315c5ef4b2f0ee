// Owns which views exist, which one is current, which are shown beside it, and which were opened or
// are unread, as signals. Does not know what views show or how they are laid out. Also owns the
// order of tabs that a person made on this page. Pure. Tabs that were never moved come last, in
// their usual order.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { batch, computed, effect, signal } from "@preact/signals";

export interface ViewsOptions<V> {
  /** Returns the existing views in order; its signals are subscribed to. */
  list: () => readonly V[] | undefined;
  getKey: (view: V) => string;
  /** The person's order of tabs, kept over a reload. */
  order?: { get(): readonly string[]; set(order: readonly string[]): void };
  /** The key of the current view, kept over a reload. */
  remembered: { get(): string | undefined; set(key: string): void };
  /** Returns the views of one layout, including the given one, in reading order. */
  getGroup?: (key: string) => readonly string[];
  /** Returns those visible while the given one is current: only itself on small screens. */
  getShownWith?: (key: string) => readonly string[];
}

export class Views<V> {
  /** Undefined until the first list, so that "none" never shows too early. */
  readonly all: ReadonlySignal<readonly V[] | undefined>;
  /** The view in use. */
  readonly current: ReadonlySignal<V | undefined>;
  /** Keys of the current view and of those beside it. */
  readonly shown: ReadonlySignal<ReadonlySet<string>>;
  /** Counts requests to move the focus into the current view. */
  readonly focus = signal(0);
  readonly #order: Signal<readonly string[]>;
  readonly #active = signal<string | undefined>(undefined);
  /** Keys of views that were opened; they keep their elements on the page. */
  readonly #opened = signal<ReadonlySet<string>>(new Set());
  readonly #unread = signal<ReadonlySet<string>>(new Set());
  readonly #options: ViewsOptions<V>;
  readonly #unwatch: () => void;

  constructor(options: ViewsOptions<V>) {
    this.#options = options;
    this.#order = signal(options.order?.get() ?? []);
    this.all = computed(() => {
      const list = options.list();
      return list && sortByOrder(list, this.#order.value, options.getKey);
    });
    this.current = computed(() => this.find(this.#active.value));
    this.shown = computed(() => {
      const key = this.#active.value;
      return new Set(key === undefined ? [] : (options.getShownWith?.(key) ?? [key]));
    });
    const choosing = effect(() => {
      const [first] = this.all.value ?? [];
      if (first === undefined || this.current.value !== undefined) return;
      this.activate(this.find(options.remembered.get()) ?? first);
    });
    const looking = effect(() => this.#onShown(this.shown.value));
    this.#unwatch = () => {
      choosing();
      looking();
    };
  }

  key(view: V): string {
    return this.#options.getKey(view);
  }

  find(key: string | undefined): V | undefined {
    return this.all.value?.find((view) => this.key(view) === key);
  }

  isActive(view: V): boolean {
    return this.#active.value === this.key(view);
  }

  /** Whether it is in sight: current, or beside the current one. */
  isShown(view: V): boolean {
    return this.shown.value.has(this.key(view));
  }

  /** Whether it was shown since the page was loaded. */
  isOpened(view: V): boolean {
    return this.#opened.value.has(this.key(view));
  }

  /** Whether it has news since it was last shown. */
  isUnread(view: V): boolean {
    return this.#unread.value.has(this.key(view));
  }

  activate(view: V): void {
    const key = this.key(view);
    this.#active.value = key;
    this.#options.remembered.set(key);
  }

  /** Shows a view and focuses it. */
  enter(view: V): void {
    batch(() => {
      this.activate(view);
      this.focus.value += 1;
    });
  }

  /** Focuses the current view again, except on phones, where that would open the keyboard. */
  refocus(): void {
    if (!matchMedia("(pointer: coarse)").matches) this.focus.value += 1;
  }

  /** Marks a view as unread, unless it is in sight. */
  markUnread(view: V): void {
    const key = this.key(view);
    if (this.shown.peek().has(key) || this.#unread.peek().has(key)) return;
    if (!this.find(key)) return;
    this.#unread.value = new Set(this.#unread.peek()).add(key);
  }

  /** Prepares a view's removal: its neighbour, preferably in its layout, becomes current. */
  leave(view: V): void {
    const key = this.key(view);
    const all = this.all.peek() ?? [];
    const at = all.findIndex((one) => this.key(one) === key);
    const group = this.#options.getGroup?.(key) ?? [];
    const next = this.find(findNeighbour(group, key)) ?? all[at + 1] ?? all[at - 1];
    batch(() => {
      this.#opened.value = without(this.#opened.peek(), key);
      this.#unread.value = without(this.#unread.peek(), key);
      if (at !== -1 && next !== undefined && this.#active.peek() === key) this.enter(next);
    });
  }

  /** Returns the view `by` positions from the current one, wrapping around. */
  findNeighbour(by: number): V | undefined {
    const all = this.all.peek() ?? [];
    const at = all.findIndex((view) => this.key(view) === this.#active.peek());
    return all[(at + by + all.length) % all.length];
  }

  /** Reorders the tabs: `by` maps all keys to their new order. */
  arrange(by: (keys: readonly string[]) => readonly string[]): void {
    this.#order.value = by((this.all.peek() ?? []).map((view) => this.key(view)));
    this.#options.order?.set(this.#order.peek());
  }

  dispose(): void {
    this.#unwatch();
  }

  #onShown(shown: ReadonlySet<string>): void {
    const opened = this.#opened.peek();
    if ([...shown].some((key) => !opened.has(key)))
      this.#opened.value = new Set([...opened, ...shown]);
    for (const key of shown) this.#unread.value = without(this.#unread.peek(), key);
  }
}

/** Returns the key after the given one, else the one before. */
export function findNeighbour(keys: readonly string[], key: string): string | undefined {
  const at = keys.indexOf(key);
  return at === -1 ? undefined : (keys[at + 1] ?? keys[at - 1]);
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  if (!keys.has(key)) return keys;
  const rest = new Set(keys);
  rest.delete(key);
  return rest;
}

const MAX_KEPT = 200;

export function sortByOrder<V>(
  views: readonly V[],
  order: readonly string[],
  getKey: (view: V) => string,
): readonly V[] {
  if (order.length === 0) return views;
  const place = new Map(order.map((key, at) => [key, at]));
  const at = (view: V): number => place.get(getKey(view)) ?? order.length;
  return views.toSorted((a, b) => at(a) - at(b));
}

/** Moves `key` right before `before`, or to the end; returns all keys. */
export function moveBefore(
  keys: readonly string[],
  key: string,
  before: string | undefined,
): readonly string[] {
  if (key === before || !keys.includes(key)) return keys;
  const rest = keys.filter((one) => one !== key);
  const at = before === undefined ? -1 : rest.indexOf(before);
  return (at === -1 ? [...rest, key] : rest.toSpliced(at, 0, key)).slice(-MAX_KEPT);
}

/** Moves `key` one position on or back; at an end it stays. */
export function moveBy(keys: readonly string[], key: string, by: 1 | -1): readonly string[] {
  const at = keys.indexOf(key);
  const to = at + by;
  if (at === -1 || to < 0 || to >= keys.length) return keys;
  return keys.toSpliced(at, 1).toSpliced(to, 0, key);
}
