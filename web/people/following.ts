// Owns following somebody: the page shows what they look at, until its user goes somewhere else, types
// or says so.

import { effect, untracked } from "@preact/signals";
import type { Store } from "../session/store.ts";
import { viewOf } from "../session/terminals.ts";

/** Returns the end of it. */
export function keepFollowing(store: Store): () => void {
  /** Where following brought us last; anywhere else is the user's own doing. */
  let brought: string | undefined;
  const stopLeading = effect(() => {
    const person = store.people.followed.value;
    const id = person?.looking;
    if (person === undefined) brought = undefined;
    // What we may not see, or have not been told of yet, leaves us where we are.
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
