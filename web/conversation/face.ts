// Owns what a conversation's tab shows.

import type { Conversation } from "../../protocol/conversation.ts";
import { onOneLine } from "../../protocol/title.ts";
import { agentOf } from "../session/conversations.ts";
import type { Store } from "../session/store.ts";
import type { Chip, Face } from "../views/view.ts";
import { NO_FACE } from "../views/view.ts";

/** Returns the tab's content; a component that calls it subscribes to its signals. */
export function faceOf(store: Store, id: string): Face {
  const conversation = store.conversations.find(id);
  if (!conversation) return NO_FACE;
  const { title, cwd, state } = conversation;
  const label = nameOf(conversation);
  // Two conversations with one agent are distinguished by their titles.
  const isShared = store.conversations.shown?.some((one) => one.id !== id && nameOf(one) === label);
  const name = title === "" ? label : `${label}: ${onOneLine(title)}`;
  const isEnded = state === "ended";
  const closing = isEnded ? "Dismiss" : "End";
  return {
    label: isShared === true ? name : label,
    name,
    number: undefined,
    details: [programOf(conversation), onOneLine(cwd)].filter(Boolean),
    chips: chipsOf(conversation),
    ended: isEnded,
    closing: isEnded || store.mayEdit.value ? closing : undefined,
  };
}

/** Returns the agent program's own name and version, such as "claude-code 1.2". */
export function programOf({ agent }: Conversation): string {
  return onOneLine([agent.name, agent.version].filter(Boolean).join(" "));
}

function nameOf(conversation: Conversation): string {
  return onOneLine(agentOf(conversation));
}

function chipsOf({ state, isolation }: Conversation): readonly Chip[] {
  const chips: Chip[] = [];
  if (state === "working") chips.push({ text: "working", tone: "good" });
  if (state === "lost") chips.push({ text: "lost", tone: "bad" });
  if (state === "ended") chips.push({ text: "ended", tone: "" });
  if (isolation !== "none") chips.push({ text: isolation, tone: "" });
  return chips;
}
