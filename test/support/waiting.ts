// Owns how tests wait: for a promise, for what wakes watchers, and for what has no event at all.
// Every wait ends, and one in vain ends with a sentence.

import { setTimeout as pause } from "node:timers/promises";

/** Far beyond what anything here takes: it only turns a hang into a failure, also on a busy machine. */
export const PATIENCE_MS = 30_000;

/**
 * How far before what is new something that is waited for may begin. Looking through all of a long
 * output whenever it grows would cost more than the product under test.
 */
export const REACH = 64 * 1024;

/** Where there is no event to wait for: often enough to be quick, seldom enough to cost little. */
const POLL_MS = 20;

export async function within<T>(
  promise: Promise<T>,
  otherwise: string | (() => string),
  milliseconds = PATIENCE_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const sentence = typeof otherwise === "string" ? otherwise : otherwise();
      reject(new Error(`${sentence} (waited ${milliseconds} ms)`));
    }, milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Looks at once and whenever the watchers are woken; false and undefined are no answer yet. */
export async function untilWoken<T>(
  watchers: Set<() => void>,
  look: () => T | undefined | false,
  milliseconds: number,
  explain: () => string,
  hopeless: () => boolean = () => false,
): Promise<T> {
  let watcher = (): void => undefined;
  const seen = new Promise<T>((resolve, reject) => {
    watcher = () => {
      try {
        const found = look();
        if (found !== undefined && found !== false) resolve(found);
        else if (hopeless()) reject(new Error(explain()));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
  });
  watchers.add(watcher);
  watcher();
  try {
    return await within(seen, explain, milliseconds);
  } finally {
    watchers.delete(watcher);
  }
}

/** For what has no event: looks until it is so. */
export async function until(
  sentence: string | (() => string),
  isSo: () => boolean | Promise<boolean>,
  { milliseconds = PATIENCE_MS, pollMs = POLL_MS } = {},
): Promise<void> {
  const end = Date.now() + milliseconds;
  while (!(await isSo())) {
    if (Date.now() > end) {
      const wanted = typeof sentence === "string" ? sentence : sentence();
      throw new Error(`not so after ${milliseconds} ms: ${wanted}`);
    }
    await pause(pollMs);
  }
}
