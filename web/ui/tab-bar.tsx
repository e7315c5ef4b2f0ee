// Owns the tab bar: people's tabs, then agents' tabs in a section that can be folded. The two
// tablists share one roving focus, and the selected tab is always scrolled into view.

import type { RefObject } from "preact";
import { useRef, useState, useEffect, useLayoutEffect } from "preact/hooks";
import { CommandButton } from "../commands/command-button.tsx";
import { createContext, getHints, runCommand, withDigit } from "../commands/command.ts";
import { LIST_TABS, CLOSE_VIEW, CLOSE_TAB, PICK_TAB } from "../commands/frame-commands.ts";
import { useSession, useVisit } from "../context.ts";
import { createStoredList } from "../session/device.ts";
import type { Store } from "../session/store.ts";
import { getDragProps } from "../splits/view-drag.ts";
import type { View, ViewSummary } from "../views/view.ts";
import { toPanelId, toTabId } from "../views/view.ts";
import { moveBefore } from "../views/views.ts";

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

interface HiddenEdges {
  readonly left: boolean;
  readonly right: boolean;
}

/** Share of the width that one click scrolls; the rest stays visible for orientation. */
const SCROLL_SHARE = 0.7;

/** Width of an arrow in tabs.css. */
const ARROW_PX = 24;

/** Returns which edges hide tabs; updates on scroll and resize. */
function useHiddenEdges(
  list: RefObject<HTMLElement | null>,
  tabs: readonly unknown[],
): HiddenEdges {
  const [edges, setEdges] = useState<HiddenEdges>({ left: false, right: false });
  const update = (): void => {
    if (!list.current) return;
    const { scrollLeft, clientWidth, scrollWidth } = list.current;
    // Zoomed pages scroll by fractions of a pixel.
    const left = scrollLeft > 1;
    markCutTabs(list.current, left);
    const right = scrollLeft + clientWidth < scrollWidth - 1;
    setEdges((before) =>
      before.left === left && before.right === right ? before : { left, right },
    );
  };
  useLayoutEffect(update, [tabs]);
  useEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const selected = element.querySelector('[aria-selected="true"]');
      selected?.scrollIntoView({ block: "nearest", inline: "nearest" });
      update();
    });
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [tabs.length > 0]);
  return edges;
}

function EdgeArrow({ list, to }: { list: RefObject<HTMLElement | null>; to: "left" | "right" }) {
  return (
    <span
      class={`tab-edge ${to}`}
      aria-hidden="true"
      title="More tabs"
      onClick={() => {
        const by = (list.current?.clientWidth ?? 0) * SCROLL_SHARE;
        list.current?.scrollBy({ left: to === "left" ? -by : by });
      }}
    >
      {to === "left" ? "‹" : "›"}
    </span>
  );
}

/** Marks the tabs whose left end is hidden by the edge or its arrow. */
function markCutTabs(list: HTMLElement, isScrolled: boolean): void {
  const edge = list.getBoundingClientRect().left + ARROW_PX;
  for (const tab of list.querySelectorAll<HTMLElement>('[role="tab"]'))
    tab.dataset["cut"] = String(isScrolled && tab.getBoundingClientRect().left < edge);
}

function TabButton({ view }: { view: View }) {
  const session = useSession();
  const { store } = session;
  const { views } = store;
  const key = views.key(view);
  const summary = store.getSummary(view);
  const selected = views.isActive(view);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const tab = button.current;
    if (!selected || !tab) return undefined;
    // The button's width changes with its text.
    const observer = new ResizeObserver(() =>
      tab.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
    observer.observe(tab);
    return () => observer.disconnect();
  }, [selected]);
  const close = (): void => runCommand(CLOSE_VIEW, createContext(session, view));
  const { rename } = store.getKind(view);
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      id={toTabId(key)}
      class={`tab${summary.ended ? " ended" : ""}`}
      aria-selected={selected}
      aria-controls={views.isOpened(view) ? toPanelId(key) : undefined}
      aria-keyshortcuts={listShortcuts(summary)}
      tabIndex={selected ? 0 : -1}
      title={[summary.name, ...summary.details].join("\n")}
      data-shown={!selected && views.isShown(view)}
      {...getDragProps(store, key)}
      {...getDropHandlers(store, key)}
      onClick={() => views.enter(view)}
      onDblClick={() => rename && runCommand(rename, createContext(session, view))}
      onAuxClick={(event) => event.button === 1 && close()}
    >
      {/* Hidden from screen readers if the name already contains it. */}
      {summary.number !== undefined && (
        <span class="tab-number" aria-hidden={summary.name === summary.label}>
          {summary.number}
        </span>
      )}
      {views.isUnread(view) && <span class="unread" role="img" aria-label="new output" />}
      <span class="tab-name">{summary.label}</span>
      {summary.hint && <span class="tab-hint">{summary.hint}</span>}
      {summary.chips.map(({ text, tone }) => (
        <span key={text} class={`chip ${tone}`}>
          {text}
        </span>
      ))}
      {/* Only for the mouse: a button within a tab confuses screen readers, whose users have a shortcut. */}
      {summary.closing !== undefined && (
        <span
          class="tab-close"
          aria-hidden="true"
          title={getHints(CLOSE_VIEW, summary.closing).title}
          onClick={(event) => {
            event.stopPropagation();
            close();
          }}
        >
          ×
        </span>
      )}
    </button>
  );
}

/** Returns drop handlers: a tab dropped on the left half goes before this one, on the right half after it. */
function getDropHandlers({ views, dragged }: Store, key: string) {
  return {
    onDragOver: (event: DragEvent): void => {
      if (dragged.peek() !== undefined && dragged.peek() !== key) event.preventDefault();
    },
    onDrop: (event: DragEvent & { currentTarget: Element }): void => {
      const moved = dragged.peek();
      if (moved === undefined) return;
      event.preventDefault();
      dragged.value = undefined;
      const { left, width } = event.currentTarget.getBoundingClientRect();
      const isAfter = event.clientX > left + width / 2;
      views.arrange((all) => {
        const rest = all.filter((one) => one !== moved);
        const before = isAfter ? rest[rest.indexOf(key) + 1] : key;
        return moveBefore(all, moved, before);
      });
    },
  };
}

function listShortcuts({ number }: ViewSummary): string {
  const pickKeys = number !== undefined && number <= 9 ? [withDigit(PICK_TAB.keys, number)] : [];
  return [...pickKeys, CLOSE_TAB.keys].join(" ");
}
