// Owns conversations as a kind of view, as listed in kinds.ts.

import type { ConversationView } from "../session/conversations.ts";
import { toConversationView } from "../session/conversations.ts";
import { CONVERSATION_KEY } from "../session/store.ts";
import type { ViewKind } from "../views/view.ts";
import { requestEnd } from "./actions.ts";
import { ConversationBody } from "./body.tsx";
import { ANOTHER, CANCEL, COMPLETE, ENTER, LINE, SEND } from "./commands.ts";
import { summarizeConversation } from "./conversation-summary.ts";

export const CONVERSATIONS: ViewKind<ConversationView> = {
  key: ({ conversationId }) => `${CONVERSATION_KEY}${conversationId}`,
  list: (store) => store.conversations.shown?.map(({ id }) => toConversationView(id)),
  summarize: (store, { conversationId }) => summarizeConversation(store, conversationId),
  close: (session, { conversationId }) => requestEnd(session, conversationId),
  Body: ConversationBody,
  open: ANOTHER,
  commands: [ENTER, ANOTHER, SEND, LINE, COMPLETE, CANCEL],
};
