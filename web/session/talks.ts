// Owns pure changes to the list of conversations, as the bridge reports them. Ordered by their
// start.

import type { Conversation } from "../../protocol/conversation.ts";

export type Talks = readonly Conversation[];

/** At most this many that ended before this page opened: more tabs would not help. */
const MOST_ENDED = 6;

const NOT_KEPT = "The host no longer has it.";

/** Whether its tab was opened on this page: then it stays, shown as ended. */
type IsOpened = (id: string) => boolean;

/** Merges the full list, sent on joining and when the bridge is back. */
export function listed(all: Talks, told: Talks, isOpened: IsOpened): Talks {
  const known = new Set(all.map(({ id }) => id));
  const ended = told.filter(({ id, state }) => state === "ended" && !known.has(id));
  const left = new Set(inOrder(ended).slice(0, -MOST_ENDED));
  const ids = new Set(told.map(({ id }) => id));
  const missed = all.filter(({ id }) => !ids.has(id) && isOpened(id)).map(over);
  return inOrder([...missed, ...told.filter((one) => !left.has(one))]);
}

export function changed(all: Talks, conversation: Conversation): Talks {
  const isKnown = all.some(({ id }) => id === conversation.id);
  if (!isKnown) return inOrder([...all, conversation]);
  return all.map((one) => (one.id === conversation.id ? conversation : one));
}

export function gone(all: Talks, id: string, isOpened: IsOpened): Talks {
  if (!isOpened(id)) return all.filter((one) => one.id !== id);
  return all.map((one) => (one.id === id ? over(one) : one));
}

function over(conversation: Conversation): Conversation {
  if (conversation.state === "ended") return conversation;
  return { ...conversation, state: "ended", why: NOT_KEPT };
}

function inOrder(all: Talks): Talks {
  return all.toSorted((one, other) => one.startedAt - other.startedAt);
}
