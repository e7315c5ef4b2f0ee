// Owns a conversation's place on the page: what draws it is loaded when one is first shown.

import { useEffect, useState } from "preact/hooks";
import { useSession } from "../context.ts";
import type { ConversationView } from "../session/conversations.ts";
import type { ConversationPane } from "./pane.tsx";

let loaded: typeof ConversationPane | undefined;

export function ConversationBody({ view, active }: { view: ConversationView; active: boolean }) {
  const { store } = useSession();
  const [isLoaded, setLoaded] = useState(loaded !== undefined);
  useEffect(() => {
    if (isLoaded) return;
    const load = async (): Promise<void> => {
      try {
        ({ ConversationPane: loaded } = await import("./pane.tsx"));
        setLoaded(true);
      } catch {
        store.toast("Part of the page did not load. Reload the page.");
      }
    };
    void load();
  }, []);
  const Pane = loaded;
  if (!isLoaded || !Pane) return <p class="waiting">Loading the conversation…</p>;
  return <Pane id={view.conversationId} active={active} />;
}
