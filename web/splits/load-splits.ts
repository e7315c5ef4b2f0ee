// Owns when the code for splits is loaded: with the first split, or at start if this browser stored
// some. The rest of this folder is loaded lazily.

import { browserStorage } from "../session/device.ts";
import type { Store } from "../session/store.ts";
import type { Splits } from "./splits.ts";

const getStorageKey = ({ workspace }: Store): string => `pairpty:layouts:${workspace}`;

/** Loads splits once; if that fails, shows a toast and returns undefined. */
export async function loadSplits(store: Store): Promise<Splits | undefined> {
  if (store.splits.peek()) return store.splits.peek();
  try {
    const module = await import("./splits.ts");
    const storage = browserStorage();
    const key = getStorageKey(store);
    store.splits.value ??= new module.Splits(store, {
      get: () => storage?.getItem(key) ?? "",
      set: (text) => storage?.setItem(key, text),
    });
  } catch {
    store.toast("Part of the page did not load. Reload the page.");
  }
  return store.splits.peek();
}

export function restoreSplits(store: Store): void {
  if ((browserStorage()?.getItem(getStorageKey(store)) ?? "[]") !== "[]") void loadSplits(store);
}
