// Owns the list of toasts: which one replaces which, and how long each stays. Does not draw.

import { signal } from "@preact/signals";

export interface Toast {
  readonly key: number;
  readonly text: string;
  /** A toast of the same topic replaces this one. */
  readonly topic: Topic | undefined;
}

/** Subject of toasts that replace each other: only the newest is true. */
export type Topic = "access" | "asleep" | "step-in";

export interface ToastOptions {
  readonly topic?: Topic | undefined;
  /** Stays until a person dismisses it, or `release` is called: no one may be at the page now. */
  readonly stays?: boolean;
}

/** Long enough to read twice. */
export const TOAST_MS = 6_000;

/** Messages of the page and of the bridge, by topic. */
const TOPICS: readonly (readonly [Topic, RegExp])[] = [
  ["access", /\bthis browser was limited to watching\b|^You can type again\b/i],
  ["step-in", /\bStep in \(/],
];

/** Returns the topic of a message that comes without one. */
export function findTopic(text: string): Topic | undefined {
  return TOPICS.find(([, pattern]) => pattern.test(text))?.[0];
}

export class ToastList {
  readonly all = signal<readonly Toast[]>([]);
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
  #key = 0;

  /** Shows a message. A repeated message is one toast: a held key must not fill the page. */
  show(text: string, { topic = findTopic(text), stays = false }: ToastOptions = {}): void {
    const before = this.all.peek();
    if (before.some((toast) => toast.text === text)) return;
    const key = (this.#key += 1);
    const replaced = before.filter((toast) => topic !== undefined && toast.topic === topic);
    for (const toast of replaced) this.#forget(toast.key);
    const others = before.filter((toast) => !replaced.includes(toast));
    this.all.value = [...others, { key, text, topic }];
    if (!stays) this.#endLater(key);
  }

  dismiss(key: number): void {
    this.#forget(key);
    this.all.value = this.all.peek().filter((toast) => toast.key !== key);
  }

  /** Dismisses a toast that is no longer true. */
  drop(topic: Topic): void {
    for (const toast of this.all.peek()) if (toast.topic === topic) this.dismiss(toast.key);
  }

  /** Lets persistent toasts expire like others, since a person is at the page. */
  release(): void {
    for (const { key } of this.all.peek()) if (!this.#timers.has(key)) this.#endLater(key);
  }

  #endLater(key: number): void {
    this.#timers.set(
      key,
      setTimeout(() => this.dismiss(key), TOAST_MS),
    );
  }

  #forget(key: number): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }
}
