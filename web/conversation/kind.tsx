// Owns the container of a conversation, whose code is loaded when one is first shown. Also owns
// conversations as a kind of view, as listed in kinds.ts. And what a conversation's tab shows.

import type { Conversation } from "../../protocol/conversation.ts";
import { toOneLine } from "../../protocol/names.ts";
import { lazyComponent } from "../lazy.tsx";
import type { ConversationView } from "../session/conversations.ts";
import { toConversationView, formatAgentName } from "../session/conversations.ts";
import type { Store } from "../session/store.ts";
import { CONVERSATION_KEY } from "../session/store.ts";
import type { ViewKind, Chip, ViewSummary } from "../views/view.ts";
import { EMPTY_SUMMARY } from "../views/view.ts";
import {
  requestEnd,
  NEW_CONVERSATION,
  CANCEL_TURN,
  COMPLETE_COMMAND,
  ENTER_CONVERSATION,
  NEW_LINE,
  SEND_PROMPT,
} from "./commands.ts";

const Pane = lazyComponent(
  async () => (await import("./pane.tsx")).ConversationPane,
  () => <p class="waiting">Loading the conversation…</p>,
);

function ConversationBody({ view, active }: { view: ConversationView; active: boolean }) {
  return <Pane id={view.conversationId} active={active} />;
}

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

/** Returns the tab's content; a component that calls it subscribes to its signals. */
function summarizeConversation(store: Store, id: string): ViewSummary {
  const conversation = store.conversations.find(id);
  if (!conversation) return EMPTY_SUMMARY;
  const { title, cwd, state } = conversation;
  const label = formatAgent(conversation);
  // Two conversations with one agent are distinguished by their titles.
  const isShared = store.conversations.shown?.some(
    (one) => one.id !== id && formatAgent(one) === label,
  );
  const name = title === "" ? label : `${label}: ${toOneLine(title)}`;
  const isEnded = state === "ended";
  const closing = isEnded ? "Dismiss" : "End";
  return {
    label: isShared === true ? name : label,
    name,
    number: undefined,
    details: [formatProgram(conversation), toOneLine(cwd)].filter(Boolean),
    chips: getChips(conversation),
    ended: isEnded,
    closing: isEnded || store.mayEdit.value ? closing : undefined,
  };
}

/** Returns the agent program's own name and version, such as "claude-code 1.2". */
export function formatProgram({ agent }: Conversation): string {
  return toOneLine([agent.name, agent.version].filter(Boolean).join(" "));
}

function formatAgent(conversation: Conversation): string {
  return toOneLine(formatAgentName(conversation));
}

function getChips({ state, isolation }: Conversation): readonly Chip[] {
  const chips: Chip[] = [];
  if (state === "working") chips.push({ text: "working", tone: "good" });
  if (state === "lost") chips.push({ text: "lost", tone: "bad" });
  if (state === "ended") chips.push({ text: "ended", tone: "" });
  if (isolation !== "none") chips.push({ text: isolation, tone: "" });
  return chips;
}
