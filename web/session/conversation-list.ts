// Owns pure changes to the list of conversations, as the bridge reports them. Ordered by their
// start.

import type { Conversation } from "../../protocol/conversation.ts";

export type ConversationList = readonly Conversation[];

/** At most this many that ended before this page opened: more tabs would not help. */
const MAX_ENDED_TABS = 6;

const NO_LONGER_KEPT = "The host no longer has it.";

/** Whether its tab was opened on this page: then it stays, shown as ended. */
type IsOpened = (id: string) => boolean;

/** Merges the full list, sent on joining and when the bridge is back. */
export function mergeConversations(
  all: ConversationList,
  received: ConversationList,
  isOpened: IsOpened,
): ConversationList {
  const known = new Set(all.map(({ id }) => id));
  const ended = received.filter(({ id, state }) => state === "ended" && !known.has(id));
  const left = new Set(sortByStart(ended).slice(0, -MAX_ENDED_TABS));
  const ids = new Set(received.map(({ id }) => id));
  const missed = all.filter(({ id }) => !ids.has(id) && isOpened(id)).map(markEnded);
  return sortByStart([...missed, ...received.filter((one) => !left.has(one))]);
}

export function putConversation(
  all: ConversationList,
  conversation: Conversation,
): ConversationList {
  const isKnown = all.some(({ id }) => id === conversation.id);
  if (!isKnown) return sortByStart([...all, conversation]);
  return all.map((one) => (one.id === conversation.id ? conversation : one));
}

export function removeConversation(
  all: ConversationList,
  id: string,
  isOpened: IsOpened,
): ConversationList {
  if (!isOpened(id)) return all.filter((one) => one.id !== id);
  return all.map((one) => (one.id === id ? markEnded(one) : one));
}

function markEnded(conversation: Conversation): Conversation {
  if (conversation.state === "ended") return conversation;
  return { ...conversation, state: "ended", why: NO_LONGER_KEPT };
}

function sortByStart(all: ConversationList): ConversationList {
  return all.toSorted((one, other) => one.startedAt - other.startedAt);
}
