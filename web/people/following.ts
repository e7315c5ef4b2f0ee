// Owns following a person: the page shows what they view, until its user goes elsewhere, types or
// stops it.

import { effect, untracked } from "@preact/signals";
import type { Store } from "../session/store.ts";
import { toTerminalView } from "../session/terminal-list.ts";

/** Starts following changes of the followed person's view; returns its end. */
export function startFollowing(store: Store): () => void {
  /** The terminal that following showed last; any other was the user's own choice. */
  let shownId: string | undefined;
  const stopLeading = effect(() => {
    const person = store.people.followed.value;
    const id = person?.looking;
    if (person === undefined) shownId = undefined;
    // Stay where we are if the terminal is not visible to us, or not known yet.
    if (id === undefined || !store.findTerminal(id) || shownId === id) return;
    shownId = id;
    untracked(() => store.views.activate(toTerminalView(id)));
  });
  const stopWatching = effect(() => {
    const current = store.views.current.value;
    untracked(() => {
      if (store.people.following.peek() === undefined || shownId === undefined) return;
      if (current?.kind === "terminal" && current.terminalId === shownId) return;
      store.people.following.value = undefined;
    });
  });
  return () => {
    stopLeading();
    stopWatching();
  };
}
