// Owns the tab bar: a tablist with roving focus. Arrows move, Enter goes in, Delete closes.

import { useEffect, useRef } from "preact/hooks";
import { onOneLine } from "../../protocol/title.ts";
import type { Tab, Tabs } from "../session/tabs.ts";
import { stepped } from "../session/tabs.ts";
import { endingOf, toText } from "../terminal/title.ts";
import { open, requestClose } from "./actions.ts";
import { useSession } from "./context.ts";
import { EdgeArrow, useEdges } from "./tab-edges.tsx";

export function TabBar() {
  const session = useSession();
  const { store } = session;
  const tabs = store.tabs.value ?? [];
  const list = useRef<HTMLDivElement>(null);
  const edges = useEdges(list, tabs);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const active = store.active.peek();
    const target = neighbourOf(event.key, tabs, active);
    if (target !== undefined) {
      event.preventDefault();
      store.activate(target);
      document.getElementById(tabId(target))?.focus();
    } else if (event.key === "Delete") requestClose(session, active);
  };

  return (
    <nav class="tabs" aria-label="Terminals">
      {tabs.length > 0 && (
        <div class="tab-window" data-left={edges.left} data-right={edges.right}>
          <div
            ref={list}
            class="tablist"
            role="tablist"
            aria-label="Terminals"
            onKeyDown={onKeyDown}
          >
            {tabs.map((tab) => (
              <TabButton key={tab.terminal.id} tab={tab} />
            ))}
          </div>
          {edges.left && <EdgeArrow list={list} to="left" />}
          {edges.right && <EdgeArrow list={list} to="right" />}
        </div>
      )}
      {store.mayEdit.value && tabs.length > 0 && (
        <button
          type="button"
          class="new"
          title="Open a terminal (Alt+N)"
          disabled={store.spawning.value}
          onClick={() => void open(session)}
        >
          <span aria-hidden="true">+</span> New
        </button>
      )}
    </nav>
  );
}

function neighbourOf(key: string, tabs: Tabs, active: string | undefined): string | undefined {
  switch (key) {
    case "ArrowLeft":
      return stepped(tabs, active, -1);
    case "ArrowRight":
      return stepped(tabs, active, 1);
    case "Home":
      return tabs[0]?.terminal.id;
    case "End":
      return tabs.at(-1)?.terminal.id;
    default:
      return undefined;
  }
}

function TabButton({ tab }: { tab: Tab }) {
  const session = useSession();
  const { id, owner, cwd, startedBy } = tab.terminal;
  const selected = session.store.active.value === id;
  const button = useRef<HTMLButtonElement>(null);
  const name = session.store.names.value.get(id);
  const text = toText(name);
  const starter = startedBy === undefined ? [] : [`started by ${onOneLine(startedBy)}`];
  useEffect(() => {
    if (selected) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected, text]);
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      id={tabId(id)}
      class={`tab${tab.ended ? " ended" : ""}`}
      aria-selected={selected}
      aria-controls={tab.opened ? panelId(id) : undefined}
      aria-keyshortcuts="Delete"
      tabIndex={selected ? 0 : -1}
      title={[text, onOneLine(cwd), ...starter].join("\n")}
      onClick={() => session.store.enter(id)}
      onAuxClick={(event) => event.button === 1 && requestClose(session, id)}
    >
      {/* Said aloud only where the name does not do. */}
      {name?.number !== undefined && (
        <span class="tab-number" aria-hidden={!name.shared}>
          {name.number}
        </span>
      )}
      {tab.unread && !selected && <span class="unread" role="img" aria-label="new output" />}
      <span class="tab-name">{name?.text}</span>
      {owner === "agent" && <span class="chip">agent</span>}
      {owner === "user" && startedBy !== undefined && <span class="chip">from an agent</span>}
      {tab.ended && <span class={`chip ${toneOf(tab)}`}>{endingOf(tab.ended)}</span>}
      {/* For the mouse alone: a button within a tab confuses screen readers, which have Delete. */}
      {(tab.ended || session.store.mayEdit.value) && (
        <span
          class="tab-close"
          aria-hidden="true"
          title={tab.ended ? "Dismiss (Alt+W)" : "Close (Alt+W)"}
          onClick={(event) => {
            event.stopPropagation();
            requestClose(session, id);
          }}
        >
          ×
        </span>
      )}
    </button>
  );
}

export function tabId(id: string): string {
  return `tab-${id}`;
}

export function panelId(id: string): string {
  return `panel-${id}`;
}

export function toneOf({ ended }: Tab): "good" | "bad" | "" {
  if (!ended || ended === "gone") return "";
  return ended.exitCode === 0 ? "good" : "bad";
}
