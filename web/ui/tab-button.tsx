// Owns one tab: its name and chips, and selecting, closing and dragging it.

import { useEffect, useRef } from "preact/hooks";
import { createContext, getHints, runCommand, withDigit } from "../commands/command.ts";
import { CLOSE_VIEW, CLOSE_TAB, PICK_TAB } from "../commands/frame-commands.ts";
import { useSession } from "../context.ts";
import type { Store } from "../session/store.ts";
import { getDragProps } from "../splits/view-drag.ts";
import { toPanelId, toTabId } from "../views/view.ts";
import { moveBefore } from "../views/views.ts";
import type { ViewSummary, View } from "../views/view.ts";

export function TabButton({ view }: { view: View }) {
  const session = useSession();
  const { store } = session;
  const { views } = store;
  const key = views.key(view);
  const face = store.getSummary(view);
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
      class={`tab${face.ended ? " ended" : ""}`}
      aria-selected={selected}
      aria-controls={views.isOpened(view) ? toPanelId(key) : undefined}
      aria-keyshortcuts={listShortcuts(face)}
      tabIndex={selected ? 0 : -1}
      title={[face.name, ...face.details].join("\n")}
      data-shown={!selected && views.isShown(view)}
      {...getDragProps(store, key)}
      {...getDropHandlers(store, key)}
      onClick={() => views.enter(view)}
      onDblClick={() => rename && runCommand(rename, createContext(session, view))}
      onAuxClick={(event) => event.button === 1 && close()}
    >
      {/* Hidden from screen readers if the name already contains it. */}
      {face.number !== undefined && (
        <span class="tab-number" aria-hidden={face.name === face.label}>
          {face.number}
        </span>
      )}
      {views.isUnread(view) && <span class="unread" role="img" aria-label="new output" />}
      <span class="tab-name">{face.label}</span>
      {face.hint && <span class="tab-hint">{face.hint}</span>}
      {face.chips.map(({ text, tone }) => (
        <span key={text} class={`chip ${tone}`}>
          {text}
        </span>
      ))}
      {/* Only for the mouse: a button within a tab confuses screen readers, whose users have a shortcut. */}
      {face.closing !== undefined && (
        <span
          class="tab-close"
          aria-hidden="true"
          title={getHints(CLOSE_VIEW, face.closing).title}
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
