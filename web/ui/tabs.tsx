// Owns the tab bar: a tablist with roving focus, a tab for each view.

import { useEffect, useRef } from "preact/hooks";
import { CommandButton } from "../commands/command-button.tsx";
import { aimOf, hintsOf, perform } from "../commands/command.ts";
import { CLOSE, CLOSE_TAB, PICK } from "../commands/frame.ts";
import { withDigit } from "../commands/keys.ts";
import { useSession, useVisit } from "../context.ts";
import { panelId, tabId } from "../views/ids.ts";
import type { Face, View } from "../views/view.ts";
import { EdgeArrow, useEdges } from "./tab-edges.tsx";

export function TabBar() {
  const { session, commands } = useVisit();
  const { store } = session;
  const views = store.views.all.value ?? [];
  const list = useRef<HTMLDivElement>(null);
  const edges = useEdges(list, views);
  return (
    <nav class="tabs" aria-label="Tabs">
      {views.length > 0 && (
        <div class="tab-window" data-left={edges.left} data-right={edges.right}>
          <div
            ref={list}
            class="tablist"
            role="tablist"
            aria-label="Tabs"
            onKeyDown={(event) => commands.onKeyDown(event, session, "tabs")}
          >
            {views.map((view) => (
              <TabButton key={store.views.key(view)} view={view} />
            ))}
          </div>
          {edges.left && <EdgeArrow list={list} to="left" />}
          {edges.right && <EdgeArrow list={list} to="right" />}
        </div>
      )}
      {store.mayEdit.value && views.length > 0 && (
        <CommandButton command={store.kinds.terminal.open} class="new">
          <span aria-hidden="true">+</span> New
        </CommandButton>
      )}
    </nav>
  );
}

function TabButton({ view }: { view: View }) {
  const session = useSession();
  const { store } = session;
  const { views } = store;
  const key = views.key(view);
  const face = store.face(view);
  const selected = views.isActive(view);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (selected) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected, face.name]);
  const close = (): void => perform(CLOSE, aimOf(session, view));
  return (
    <button
      ref={button}
      type="button"
      role="tab"
      id={tabId(key)}
      class={`tab${face.ended ? " ended" : ""}`}
      aria-selected={selected}
      aria-controls={views.isOpened(view) ? panelId(key) : undefined}
      aria-keyshortcuts={shortcutsOf(face)}
      tabIndex={selected ? 0 : -1}
      title={[face.name, ...face.details].join("\n")}
      onClick={() => views.enter(view)}
      onAuxClick={(event) => event.button === 1 && close()}
    >
      {/* Said aloud only where the name does not do. */}
      {face.number !== undefined && (
        <span class="tab-number" aria-hidden={face.name === face.label}>
          {face.number}
        </span>
      )}
      {views.isUnread(view) && <span class="unread" role="img" aria-label="new output" />}
      <span class="tab-name">{face.label}</span>
      {face.chips.map(({ text, tone }) => (
        <span key={text} class={`chip ${tone}`}>
          {text}
        </span>
      ))}
      {/* For the mouse alone: a button within a tab confuses screen readers, which have a key. */}
      {face.closing !== undefined && (
        <span
          class="tab-close"
          aria-hidden="true"
          title={hintsOf(CLOSE, face.closing).title}
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

function shortcutsOf({ number }: Face): string {
  const picked = number !== undefined && number <= 9 ? [withDigit(PICK.keys, number)] : [];
  return [...picked, CLOSE_TAB.keys].join(" ");
}
