// Owns the agents view: agents' terminals above, the timeline below. Loaded when it is first shown.

import { useEffect, useRef } from "preact/hooks";
import { useSession } from "../context.ts";
import "./agents.css";
import { AgentTerminals } from "./terminals.tsx";
import { TimelineList } from "./timeline-list.tsx";

export function AgentsPane({ active }: { active: boolean }) {
  const { store } = useSession();
  const pane = useRef<HTMLDivElement>(null);
  const focus = store.views.focus.value;
  useEffect(() => {
    if (active && focus > 0 && !store.dialog.peek()) pane.current?.focus();
  }, [active, focus]);
  return (
    <div ref={pane} class="agents" tabIndex={-1}>
      <AgentTerminals />
      <TimelineList />
    </div>
  );
}
