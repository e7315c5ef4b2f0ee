// Owns people's actions on a conversation, by key, click or selection.

import type { Conversation } from "../../protocol/conversation.ts";
import { toConversationView } from "../session/conversations.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";

/** Returns why input cannot reach the agent, as a message for people. */
export function inputBlockedReason(store: Store): string | undefined {
  const why = store.readOnlyReason("talk to agents");
  if (why !== undefined) return why;
  if (store.reachable.value) return undefined;
  return "Not connected. You can continue once this page has reconnected.";
}

/** Sends the draft. Its text stays until the conversation contains it. */
export function sendPrompt(session: SessionActions, id: string): void {
  const { conversations } = session.store;
  const { text, sent } = conversations.draft(id);
  if (text.trim() === "" || sent || inputBlockedReason(session.store) !== undefined) return;
  if (session.send({ type: "conversation:prompt", id, text })) conversations.onSent(id);
}

export function cancel(session: SessionActions, id: string): void {
  const { conversations } = session.store;
  if (session.send({ type: "conversation:cancel", id })) conversations.onCancelling(id);
}

export function setMode(session: SessionActions, id: string, mode: string): void {
  session.send({ type: "conversation:mode", id, mode });
}

/** Starts another conversation with the same agent. */
export function startNewConversation(session: SessionActions, { id, agent }: Conversation): void {
  if (session.send({ type: "conversation:new", id }))
    session.store.conversations.onRequested(agent.grant);
}

/** Ends a conversation after a confirmation, with its commands; dismisses an ended one. */
export function requestEnd(session: SessionActions, id: string): void {
  const { store } = session;
  const conversation = store.conversations.find(id);
  if (!conversation) return undefined;
  if (conversation.state === "ended") return dismiss(store, id);
  const why = store.readOnlyReason("end conversations");
  if (why !== undefined) return store.toast(why);
  store.dialog.value = {
    kind: "confirm",
    question: () => {
      const now = store.conversations.find(id);
      if (!now || now.state === "ended") return undefined;
      return {
        title: `End ${store.getSummary(toConversationView(id)).name}?`,
        text: "This cancels its turn and ends its commands, for everyone here. The messages stay readable.",
        yes: "End conversation",
        no: "Cancel",
        run: () => void session.send({ type: "conversation:end", id }),
      };
    },
  };
  return undefined;
}

function dismiss({ views, conversations }: Store, id: string): void {
  views.leave(toConversationView(id));
  conversations.dismiss(id);
}
