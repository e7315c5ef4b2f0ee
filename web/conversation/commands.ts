// Owns the commands of conversations. Their plain keys work only in a conversation.

import type { Conversation } from "../../protocol/conversation.ts";
import type { CommandContext, Command } from "../commands/command.ts";
import { toConversationView } from "../session/conversations.ts";
import { startNewConversation, cancel, inputBlockedReason, sendPrompt } from "./actions.ts";

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
