// Owns conversations as a kind of view, as listed in kinds.ts.

import type { ConversationView } from "../session/conversations.ts";
import { toConversationView } from "../session/conversations.ts";
import { CONVERSATION_KEY } from "../session/store.ts";
import type { ViewKind } from "../views/view.ts";
import { requestEnd } from "./actions.ts";
import { ConversationBody } from "./body.tsx";
import {
  NEW_CONVERSATION,
  CANCEL_TURN,
  COMPLETE_COMMAND,
  ENTER_CONVERSATION,
  NEW_LINE,
  SEND_PROMPT,
} from "./commands.ts";
import { summarizeConversation } from "./conversation-summary.ts";

export const CONVERSATIONS: ViewKind<ConversationView> = {
  key: ({ conversationId }) => `${CONVERSATION_KEY}${conversationId}`,
  list: (store) => store.conversations.shown?.map(({ id }) => toConversationView(id)),
  summarize: (store, { conversationId }) => summarizeConversation(store, conversationId),
  close: (session, { conversationId }) => requestEnd(session, conversationId),
  Body: ConversationBody,
  open: NEW_CONVERSATION,
  commands: [
    ENTER_CONVERSATION,
    NEW_CONVERSATION,
    SEND_PROMPT,
    NEW_LINE,
    COMPLETE_COMMAND,
    CANCEL_TURN,
  ],
};
