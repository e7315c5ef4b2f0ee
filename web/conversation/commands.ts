// Owns the commands of conversations. Their plain keys work only in a conversation. Also owns
// people's actions on a conversation, by key, click or selection.

import type { Conversation } from "../../protocol/conversation.ts";
import type { CommandContext, Command } from "../commands/command.ts";
import { toConversationView } from "../session/conversations.ts";
import type { SessionActions } from "../session/session.ts";
import type { Store } from "../session/store.ts";

export const ENTER_CONVERSATION: Command = {
  id: "conversation.enter",
  title: "Go to a conversation with an agent",
  keys: "Alt+G",
  refusal: ({ session: { store } }) =>
    store.conversations.shown?.length
      ? undefined
      : "No agent is connected. On the host’s machine, run: pairpty agent -- <command>",
  run: ({ session: { store }, view }) => {
    const all = store.conversations.shown ?? [];
    const at = view?.kind === "conversation" ? all.findIndex(isShownBy(view)) : -1;
    const next = all[(at + 1) % all.length];
    if (next) store.views.enter(toConversationView(next.id));
  },
};

export const NEW_CONVERSATION: Command = {
  id: "conversation.another",
  title: "Start another conversation with its agent",
  keys: "Alt+B",
  isEnabled: (context) => isConnected(findConversation(context)),
  refusal: ({ session: { store } }) => inputBlockedReason(store),
  run: (context) => {
    const conversation = findConversation(context);
    if (conversation) startNewConversation(context.session, conversation);
  },
};

export const SEND_PROMPT: Command = {
  id: "conversation.send",
  title: "Send the prompt",
  keys: "Enter",
  scope: "conversation",
  refusal: ({ session: { store } }) => inputBlockedReason(store),
  run: (context) => {
    const conversation = findConversation(context);
    if (conversation) sendPrompt(context.session, conversation.id);
  },
};

/** Handled by the browser. */
export const NEW_LINE: Command = {
  id: "conversation.line",
  title: "Start a new line",
  keys: "Shift+Enter",
  scope: "conversation",
};

/** Handled by the composer while its list is open. */
export const COMPLETE_COMMAND: Command = {
  id: "conversation.complete",
  title: "Complete a /command of the agent",
  keys: "Tab",
  scope: "conversation",
};

export const CANCEL_TURN: Command = {
  id: "conversation.cancel",
  title: "Cancel the agent’s turn",
  keys: "Escape",
  scope: "conversation",
  isEnabled: (context) => findConversation(context)?.state === "working",
  refusal: ({ session: { store } }) => inputBlockedReason(store),
  run: (context) => {
    const conversation = findConversation(context);
    if (conversation) cancel(context.session, conversation.id);
  },
};

function findConversation({ session, view }: CommandContext): Conversation | undefined {
  if (view?.kind !== "conversation") return undefined;
  return session.store.conversations.find(view.conversationId);
}

function isConnected(conversation: Conversation | undefined): boolean {
  return conversation !== undefined && !["lost", "ended"].includes(conversation.state);
}

function isShownBy({ conversationId }: { readonly conversationId: string }) {
  return ({ id }: Conversation): boolean => id === conversationId;
}

/** Returns why input cannot reach the agent, as a message for people. */
export function inputBlockedReason(store: Store): string | undefined {
  const why = store.readOnlyReason("talk to agents");
  if (why !== undefined) return why;
  if (store.reachable.value) return undefined;
  return "Not connected. You can continue once this page has reconnected.";
}

/** Sends the draft. Its text stays until the conversation contains it. */
function sendPrompt(session: SessionActions, id: string): void {
  const { conversations } = session.store;
  const { text, sent } = conversations.draft(id);
  if (text.trim() === "" || sent || inputBlockedReason(session.store) !== undefined) return;
  if (session.send({ type: "conversation:prompt", id, text })) conversations.onSent(id);
}

function cancel(session: SessionActions, id: string): void {
  const { conversations } = session.store;
  if (session.send({ type: "conversation:cancel", id })) conversations.onCancelling(id);
}

export function setMode(session: SessionActions, id: string, mode: string): void {
  session.send({ type: "conversation:mode", id, mode });
}

/** Starts another conversation with the same agent. */
function startNewConversation(session: SessionActions, { id, agent }: Conversation): void {
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
