// Owns the tab bar: people's tabs, then agents' tabs in a section that can be folded. Two tablists share
// one roving focus.

import { useRef, useState } from "preact/hooks";
import { CommandButton } from "../commands/command-button.tsx";
import { LIST_TABS } from "../commands/frame-commands.ts";
import { useSession, useVisit } from "../context.ts";
import { createStoredList } from "../session/device.ts";
import type { View } from "../views/view.ts";
import { EdgeArrow, useHiddenEdges } from "./tab-edges.tsx";
import { TabButton } from "./tab-button.tsx";

export function TabBar() {
  const { store } = useSession();
  const views = store.views.all.value ?? [];
  const list = useRef<HTMLDivElement>(null);
  const edges = useHiddenEdges(list, views);
  const isAgentTab = (view: View): boolean => store.getSummary(view).section === "agents";
  const agents = views.filter(isAgentTab);
  return (
    <nav class="tabs" aria-label="Tabs">
      {views.length > 0 && (
        <div class="tab-window" data-left={edges.left} data-right={edges.right}>
          <div ref={list} class="tablist">
            <TabGroup label="Tabs" views={views.filter((view) => !isAgentTab(view))} />
            {agents.length > 0 && <AgentTabs views={agents} />}
          </div>
          {edges.left && <EdgeArrow list={list} to="left" />}
          {edges.right && <EdgeArrow list={list} to="right" />}
        </div>
      )}
      {(edges.left || edges.right) && (
        <CommandButton command={LIST_TABS} class="icon-button all-tabs" label={LIST_TABS.title}>
          ▾
        </CommandButton>
      )}
      {store.mayEdit.value && store.overReason.value === undefined && views.length > 0 && (
        <CommandButton command={store.kinds.terminal.open} class="new">
          <span aria-hidden="true">+</span> New
        </CommandButton>
      )}
    </nav>
  );
}

function TabGroup({ label, views }: { label: string; views: readonly View[] }) {
  const { session, commands } = useVisit();
  const { store } = session;
  if (views.length === 0) return null;
  return (
    <div
      class="tab-group"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => commands.onKeyDown(event, session, "tabs")}
    >
      {views.map((view) => (
        <TabButton key={store.views.key(view)} view={view} />
      ))}
    </div>
  );
}

/** While folded, only agents' terminals that are on screen have a tab. */
function AgentTabs({ views }: { views: readonly View[] }) {
  const { store } = useSession();
  const stored = createStoredList("pairpty:folded");
  const [isFolded, setFolded] = useState(stored.get().includes("agents"));
  const fold = (): void => {
    stored.set(isFolded ? [] : ["agents"]);
    setFolded(!isFolded);
  };
  const shown = isFolded ? views.filter((view) => store.views.isShown(view)) : views;
  const hasNews = isFolded && views.some((view) => store.views.isUnread(view));
  return (
    <>
      <button
        type="button"
        class="tab-fold"
        aria-expanded={!isFolded}
        title={isFolded ? "Show agents’ terminals" : "Fold agents’ terminals"}
        onClick={fold}
      >
        Agents <b>{views.length}</b>
        {hasNews && <span class="unread" role="img" aria-label="new output" />}
        <span aria-hidden="true">{isFolded ? "›" : "‹"}</span>
      </button>
      <TabGroup label="Agents’ terminals" views={shown} />
    </>
  );
}
