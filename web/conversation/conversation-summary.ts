// Owns what a conversation's tab shows.

import type { Conversation } from "../../protocol/conversation.ts";
import { toOneLine } from "../../protocol/names.ts";
import { formatAgentName } from "../session/conversations.ts";
import type { Store } from "../session/store.ts";
import type { Chip, ViewSummary } from "../views/view.ts";
import { EMPTY_SUMMARY } from "../views/view.ts";

/** Returns the tab's content; a component that calls it subscribes to its signals. */
export function summarizeConversation(store: Store, id: string): ViewSummary {
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
