// Owns the commands about people. Also owns people's actions on other people. And following a
// person: the page shows what they view, until its user goes elsewhere, types or stops it.

import { effect, untracked } from "@preact/signals";
import type { Person } from "../../protocol/room.ts";
import type { Command } from "../commands/command.ts";
import { displayName } from "../../protocol/names.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import { toTerminalView } from "../session/terminal-list.ts";

export const CONNECT: Command = {
  id: "page.connect",
  title: "Connect an agent",
  words: "mcp ai assistant",
  keys: "Alt+Shift+G",
  refusal: ({ session: { store } }) =>
    store.people.you.peek()?.mayShare === true
      ? undefined
      : "This link cannot create tokens. On the host’s machine, run: pairpty connect <client>",
  run: ({ session }) => {
    session.store.dialog.value = { kind: "connect" };
  },
};

export const PEOPLE: Command = {
  id: "page.people",
  title: "Show who is here",
  words: "people share invite guests",
  keys: "Alt+U",
  isEnabled: ({ session }) => session.store.people.all.value !== undefined,
  run: ({ session }) => {
    session.store.dialog.value = { kind: "people" };
  },
};

/** Follows a person: our page shows what they view until we do something else. */
export function follow(session: SessionActions, { id, looking }: Person): void {
  const { store } = session;
  store.people.following.value = id;
  store.dialog.value = undefined;
  if (looking !== undefined && store.findTerminal(looking))
    store.views.activate(toTerminalView(looking));
}

export function unfollow(session: SessionActions): void {
  session.store.people.following.value = undefined;
}

export function setRole(session: SessionActions, { id }: Person, role: "view" | "edit"): void {
  session.send({ type: "room:rights", who: id, role });
}

/** Removes a person after a confirmation, since it closes their page. */
export function confirmRemove(session: SessionActions, person: Person): void {
  const { store } = session;
  store.dialog.value = {
    kind: "confirm",
    question: () => {
      if (!store.people.all.value?.has(person.id)) return undefined;
      return {
        title: `Remove ${displayName(person)}?`,
        text: "Their page closes, and their browser stays out until someone lets it back in. Their link still works in other browsers until it is revoked.",
        yes: "Remove",
        no: "Cancel",
        run: () => session.send({ type: "room:remove", who: person.id }),
      };
    },
  };
}

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
