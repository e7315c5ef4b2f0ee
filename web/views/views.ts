// Owns which views there are, which one is in use, which were opened and which have news, as
// signals. Knows nothing of what a view shows.

import type { ReadonlySignal } from "@preact/signals";
import { batch, computed, effect, signal } from "@preact/signals";

export interface ViewsOptions<V> {
  /** Those that there are, in order; subscribed to. */
  list: () => readonly V[] | undefined;
  keyOf: (view: V) => string;
  /** The key of the one in use, over a reload. */
  remembered: { get(): string | undefined; set(key: string): void };
}

export class Views<V> {
  /** Undefined until the first list, so that "none" is never said too early. */
  readonly all: ReadonlySignal<readonly V[] | undefined>;
  /** The one in use. */
  readonly current: ReadonlySignal<V | undefined>;
  /** Counts requests to move the focus into the one in use. */
  readonly focus = signal(0);
  readonly #active = signal<string | undefined>(undefined);
  /** By key; one that was opened keeps its place on the page. */
  readonly #opened = signal<ReadonlySet<string>>(new Set());
  readonly #unread = signal<ReadonlySet<string>>(new Set());
  readonly #options: ViewsOptions<V>;
  readonly #unwatch: () => void;

  constructor(options: ViewsOptions<V>) {
    this.#options = options;
    this.all = computed(options.list);
    this.current = computed(() => this.find(this.#active.value));
    this.#unwatch = effect(() => {
      const [first] = this.all.value ?? [];
      if (first === undefined || this.current.value !== undefined) return;
      this.activate(this.find(options.remembered.get()) ?? first);
    });
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
    batch(() => {
      this.#active.value = key;
      this.#opened.value = new Set(this.#opened.peek()).add(key);
      this.#unread.value = without(this.#unread.peek(), key);
    });
    this.#options.remembered.set(key);
  }

  /** Shows a view and puts the cursor in it. */
  enter(view: V): void {
    batch(() => {
      this.activate(view);
      this.focus.value += 1;
    });
  }

  /** There is something new in it. */
  mark(view: V): void {
    const key = this.key(view);
    if (this.#active.peek() === key || this.#unread.peek().has(key)) return;
    if (!this.find(key)) return;
    this.#unread.value = new Set(this.#unread.peek()).add(key);
  }

  /** It is about to go: its right neighbour, else its left, takes its place and the cursor. */
  leave(view: V): void {
    const key = this.key(view);
    const all = this.all.peek() ?? [];
    const at = all.findIndex((one) => this.key(one) === key);
    const next = all[at + 1] ?? all[at - 1];
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

  dispose(): void {
    this.#unwatch();
  }
}

function without(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  if (!keys.has(key)) return keys;
  const rest = new Set(keys);
  rest.delete(key);
  return rest;
}
