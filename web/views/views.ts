// Owns which views there are, which one is in use, which are shown beside it, which were opened and
// which have news, as signals. Knows nothing of what a view shows, nor how they are laid out.

import type { ReadonlySignal, Signal } from "@preact/signals";
import { batch, computed, effect, signal } from "@preact/signals";
import { inOrder } from "./order.ts";

export interface ViewsOptions<V> {
  /** Those that there are, in order; subscribed to. */
  list: () => readonly V[] | undefined;
  keyOf: (view: V) => string;
  /** The order that somebody gave the tabs, over a reload. */
  order?: { get(): readonly string[]; set(order: readonly string[]): void };
  /** The key of the one in use, over a reload. */
  remembered: { get(): string | undefined; set(key: string): void };
  /** Those that stand in one layout with it, itself among them, in the order in which they are read. */
  groupOf?: (key: string) => readonly string[];
  /** Those of them that are in sight while it is in use: all, or itself alone where there is no room. */
  shownWith?: (key: string) => readonly string[];
}

export class Views<V> {
  /** Undefined until the first list, so that "none" is never said too early. */
  readonly all: ReadonlySignal<readonly V[] | undefined>;
  /** The one in use. */
  readonly current: ReadonlySignal<V | undefined>;
  /** By key: the one in use, and those beside it. */
  readonly shown: ReadonlySignal<ReadonlySet<string>>;
  /** Counts requests to move the focus into the one in use. */
  readonly focus = signal(0);
  readonly #order: Signal<readonly string[]>;
  readonly #active = signal<string | undefined>(undefined);
  /** By key; one that was opened keeps its place on the page. */
  readonly #opened = signal<ReadonlySet<string>>(new Set());
  readonly #unread = signal<ReadonlySet<string>>(new Set());
  readonly #options: ViewsOptions<V>;
  readonly #unwatch: () => void;

  constructor(options: ViewsOptions<V>) {
    this.#options = options;
    this.#order = signal(options.order?.get() ?? []);
    this.all = computed(() => {
      const list = options.list();
      return list && inOrder(list, this.#order.value, options.keyOf);
    });
    this.current = computed(() => this.find(this.#active.value));
    this.shown = computed(() => {
      const key = this.#active.value;
      return new Set(key === undefined ? [] : (options.shownWith?.(key) ?? [key]));
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
    return this.#options.keyOf(view);
  }

  find(key: string | undefined): V | undefined {
    return this.all.value?.find((view) => this.key(view) === key);
  }

  isActive(view: V): boolean {
    return this.#active.value === this.key(view);
  }

  /** In sight: in use, or beside the one that is. */
  isShown(view: V): boolean {
    return this.shown.value.has(this.key(view));
  }

  /** Looked at since the page was loaded. */
  isOpened(view: V): boolean {
    return this.#opened.value.has(this.key(view));
  }

  /** Has news since it was last looked at. */
  isUnread(view: V): boolean {
    return this.#unread.value.has(this.key(view));
  }

  activate(view: V): void {
    const key = this.key(view);
    this.#active.value = key;
    this.#options.remembered.set(key);
  }

  /** Shows a view and puts the cursor in it. */
  enter(view: V): void {
    batch(() => {
      this.activate(view);
      this.focus.value += 1;
    });
  }

  /** Puts the cursor back into the view in use; on a phone that would bring up the keyboard. */
  refocus(): void {
    if (!matchMedia("(pointer: coarse)").matches) this.focus.value += 1;
  }

  /** There is something new in it. */
  mark(view: V): void {
    const key = this.key(view);
    if (this.shown.peek().has(key) || this.#unread.peek().has(key)) return;
    if (!this.find(key)) return;
    this.#unread.value = new Set(this.#unread.peek()).add(key);
  }

  /** It is about to go: its neighbour, of its layout if it has one, takes its place and the cursor. */
  leave(view: V): void {
    const key = this.key(view);
    const all = this.all.peek() ?? [];
    const at = all.findIndex((one) => this.key(one) === key);
    const group = this.#options.groupOf?.(key) ?? [];
    const next = this.find(nextTo(group, key)) ?? all[at + 1] ?? all[at - 1];
    batch(() => {
      this.#opened.value = without(this.#opened.peek(), key);
      this.#unread.value = without(this.#unread.peek(), key);
      if (at !== -1 && next !== undefined && this.#active.peek() === key) this.enter(next);
    });
  }

  /** The one `by` places on from the one in use, around the ends. */
  beside(by: number): V | undefined {
    const all = this.all.peek() ?? [];
    const at = all.findIndex((view) => this.key(view) === this.#active.peek());
    return all[(at + by + all.length) % all.length];
  }

  /** As `by` has all their keys. */
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

/** The one behind it, else the one before. */
export function nextTo(keys: readonly string[], key: string): string | undefined {
  const at = keys.indexOf(key);
  return at === -1 ? undefined : (keys[at + 1] ?? keys[at - 1]);
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  if (!keys.has(key)) return keys;
  const rest = new Set(keys);
  rest.delete(key);
  return rest;
}
