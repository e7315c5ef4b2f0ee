// Owns one tab: its name and chips, and selecting, closing and dragging it.

import { useEffect, useRef } from "preact/hooks";
import { aimOf, hintsOf, perform } from "../commands/command.ts";
import { CLOSE, CLOSE_TAB, PICK } from "../commands/frame.ts";
import { withDigit } from "../commands/keys.ts";
import { useSession } from "../context.ts";
import type { Store } from "../session/store.ts";
import { drags } from "../splits/dragging.ts";
import { panelId, tabId } from "../views/ids.ts";
import { movedBefore } from "../views/order.ts";
import type { Face, View } from "../views/view.ts";

export function TabButton({ view }: { view: View }) {
  const session = useSession();
  const { store } = session;
  const { views } = store;
  const key = views.key(view);
  const face = store.face(view);
  const selected = views.isActive(view);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const tab = button.current;
    if (!selected || !tab) return undefined;
    // Its width changes with its text.
    const observer = new ResizeObserver(() =>
      tab.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
    observer.observe(tab);
    return () => observer.disconnect();
  }, [selected]);
  const close = (): void => perform(CLOSE, aimOf(session, view));
  const { rename } = store.kindOf(view);
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
      data-shown={!selected && views.isShown(view)}
      {...drags(store, key)}
      {...takesTabs(store, key)}
      onClick={() => views.enter(view)}
      onDblClick={() => rename && perform(rename, aimOf(session, view))}
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

/** Returns drop handlers: a tab dropped on the left half goes before this one, on the right half after it. */
function takesTabs({ views, dragged }: Store, key: string) {
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
      const isBehind = event.clientX > left + width / 2;
      views.arrange((all) => {
        const rest = all.filter((one) => one !== moved);
        const before = isBehind ? rest[rest.indexOf(key) + 1] : key;
        return movedBefore(all, moved, before);
      });
    },
  };
}

function shortcutsOf({ number }: Face): string {
  const picked = number !== undefined && number <= 9 ? [withDigit(PICK.keys, number)] : [];
  return [...picked, CLOSE_TAB.keys].join(" ");
}
