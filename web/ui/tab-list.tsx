// Owns the list of all tabs with its filter. Also owns filtering a list by typed text: each typed
// word must occur in an item's words.

import { useEffect, useState } from "preact/hooks";
import { useSession } from "../context.ts";
import { loadSplits } from "../splits/split-commands.ts";
import type { View } from "../views/view.ts";
import { Modal } from "./modal.tsx";
import "./tab-list.css";

const optionId = (key: string): string => `pick-${key}`;

export function TabList() {
  const { store } = useSession();
  const { views } = store;
  const [text, setText] = useState("");
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      (views.all.peek() ?? []).findIndex((view) => views.isActive(view)),
    ),
  );
  const shown = filterByText(views.all.value ?? [], text, (view) => {
    const { name, label, details, chips } = store.getSummary(view);
    return [name, label, ...details, ...chips.map((chip) => chip.text)];
  });
  const chosen = shown[Math.min(at, shown.length - 1)];
  const chosenId = chosen && optionId(views.key(chosen));
  // In an effect: the dialog opens only after the first render.
  useEffect(() => {
    if (chosenId !== undefined)
      document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
  }, [chosenId]);
  const close = (): void => void (store.dialog.value = undefined);
  const openTab = (view: View, isBeside: boolean): void => {
    const current = views.current.peek();
    close();
    if (!isBeside || !current || views.isActive(view)) return views.enter(view);
    const [key, target] = [views.key(view), views.key(current)];
    const place = async (): Promise<void> => {
      if ((await loadSplits(store))?.place(key, target, "right")) views.enter(view);
    };
    return void place();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((Math.min(at, shown.length - 1) + step + shown.length) % Math.max(1, shown.length));
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (chosen) openTab(chosen, event.shiftKey);
  };
  return (
    <Modal title="Tabs">
      <input
        class="tab-filter"
        type="text"
        role="combobox"
        aria-label="Filter tabs"
        aria-expanded="true"
        aria-controls="tab-options"
        aria-activedescendant={chosenId}
        placeholder="Filter by name, folder, state"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="tab-options" class="tab-options" role="listbox" aria-label="Tabs">
        {shown.map((view) => (
          <Option
            key={views.key(view)}
            view={view}
            chosen={view === chosen}
            onPick={(isBeside) => openTab(view, isBeside)}
          />
        ))}
      </div>
      <p class="hint" role="status">
        {shown.length === 0 ? (
          "No tab matches."
        ) : (
          <span class="if-keys">Enter opens it, Shift+Enter opens it beside the current one.</span>
        )}
      </p>
    </Modal>
  );
}

interface OptionProps {
  view: View;
  chosen: boolean;
  onPick: (isBeside: boolean) => void;
}

function Option({ view, chosen, onPick }: OptionProps) {
  const { store } = useSession();
  const summary = store.getSummary(view);
  return (
    <div
      id={optionId(store.views.key(view))}
      class="tab-option"
      role="option"
      aria-selected={chosen}
      onClick={(event) => onPick(event.shiftKey)}
    >
      <span class="tab-number">{summary.number}</span>
      <span class="tab-option-name">
        <b>{summary.label}</b>
        <small>{summary.details.join(" · ")}</small>
      </span>
      {store.views.isActive(view) && <span class="chip good">current</span>}
      {store.views.isUnread(view) && <span class="unread" role="img" aria-label="new output" />}
      {summary.chips.map(({ text, tone }) => (
        <span key={text} class={`chip ${tone}`}>
          {text}
        </span>
      ))}
    </div>
  );
}

export function filterByText<T>(
  all: readonly T[],
  text: string,
  getWords: (one: T) => readonly string[],
): readonly T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return all;
  return all.filter((one) => {
    const words = getWords(one).join("\n").toLowerCase();
    return wanted.every((word) => words.includes(word));
  });
}
