// Owns the container of a conversation, whose code is loaded when one is first shown.

import { lazyComponent } from "../lazy.tsx";
import type { ConversationView } from "../session/conversations.ts";

const Pane = lazyComponent(
  async () => (await import("./pane.tsx")).ConversationPane,
  () => <p class="waiting">Loading the conversation…</p>,
);

export function ConversationBody({ view, active }: { view: ConversationView; active: boolean }) {
  return <Pane id={view.conversationId} active={active} />;
}
