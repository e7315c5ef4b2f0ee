// Owns people's actions on other people.

import type { Person } from "../../protocol/room.ts";
import { toDisplayName } from "../session/people.ts";
import type { SessionActions } from "../session/session.ts";
import { toTerminalView } from "../session/terminal-list.ts";

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
        title: `Remove ${toDisplayName(person)}?`,
        text: "Their page closes, and their browser stays out until someone lets it back in. Their link still works in other browsers until it is revoked.",
        yes: "Remove",
        no: "Cancel",
        run: () => session.send({ type: "room:remove", who: person.id }),
      };
    },
  };
}
