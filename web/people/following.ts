// Owns following a person: the page shows what they view, until its user goes elsewhere, types or
// stops it.

import { effect, untracked } from "@preact/signals";
import type { Store } from "../session/store.ts";
import { viewOf } from "../session/terminals.ts";

/** Starts following changes of the followed person's view; returns its end. */
export function keepFollowing(store: Store): () => void {
  /** The terminal that following showed last; any other was the user's own choice. */
  let brought: string | undefined;
  const stopLeading = effect(() => {
    const person = store.people.followed.value;
    const id = person?.looking;
    if (person === undefined) brought = undefined;
    // Stay where we are if the terminal is not visible to us, or not known yet.
    if (id === undefined || !store.terminal(id) || brought === id) return;
    brought = id;
    untracked(() => store.views.activate(viewOf(id)));
  });
  const stopWatching = effect(() => {
    const current = store.views.current.value;
    untracked(() => {
      if (store.people.following.peek() === undefined || brought === undefined) return;
      if (current?.kind === "terminal" && current.terminalId === brought) return;
      store.people.following.value = undefined;
    });
  });
  return () => {
    stopLeading();
    stopWatching();
  };
}
