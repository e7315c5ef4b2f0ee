// Owns the palette: a list of everything that can be done, filtered by typing. A combobox: the
// focus stays in the input, arrow keys move through the list.

import type { ComponentChild } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { createContext } from "../commands/command.ts";
import { Keys } from "../commands/command-button.tsx";
import { useVisit } from "../context.ts";
import type { BrowserStorage } from "../session/device.ts";
import { browserStorage } from "../session/device.ts";
import type { PaletteEntry, RankedEntry } from "./entries.ts";
import { commandEntries, orderEntries, rankEntries, addRecent, viewEntries } from "./entries.ts";
import "./palette.css";

const RECENT_KEY = "pairpty:recent";

/** Steps of the keys that move through the list. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
};

export function PaletteBody({ onDone }: { onDone: () => void }) {
  const { session, commands } = useVisit();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const line = useRef<HTMLInputElement>(null);
  const storage = useMemo(browserStorage, []);
  const recent = useMemo(() => readRecent(storage), []);
  // Computed once on opening: the list must not change under the pointer.
  const entries = useMemo(() => {
    const aim = createContext(session);
    return orderEntries(viewEntries(aim), commandEntries(commands.listByScope("page"), aim));
  }, []);
  const rows = useMemo(() => rankEntries(entries, query, recent), [query]);
  const chosen = rows[at]?.entry;

  useLayoutEffect(() => line.current?.focus(), []);
  useLayoutEffect(
    () => document.getElementById(optionId(at))?.scrollIntoView({ block: "nearest" }),
    [at, query],
  );

  const run = (entry: PaletteEntry | undefined): void => {
    if (!entry || entry.refusal !== undefined) return;
    storage?.setItem(RECENT_KEY, JSON.stringify(addRecent(recent, entry.id)));
    onDone();
    // After the dialog has returned the focus: the command may want it elsewhere.
    setTimeout(() => entry.run());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    if (step === undefined) return run(chosen);
    const many = rows.length;
    const next = Math.abs(step) === 1 ? (at + step + many) % many : at + step;
    return setAt(Math.max(0, Math.min(many - 1, next)));
  };
  return (
    <div class="palette">
      <input
        ref={line}
        value={query}
        role="combobox"
        aria-label="Command or tab"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen && optionId(at)}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        placeholder="What would you like to do?"
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox" aria-label="Commands and tabs">
        {rows.map((row, index) => (
          <Option
            key={row.entry.id}
            row={row}
            id={optionId(index)}
            isChosen={index === at}
            onRun={() => run(row.entry)}
          />
        ))}
      </ul>
      <p class="hint" role="status">
        {rows.length === 0 ? "Nothing matches." : ""}
      </p>
    </div>
  );
}

interface OptionProps {
  row: RankedEntry;
  id: string;
  isChosen: boolean;
  onRun: () => void;
}

function Option({ row: { entry, matchedAt: at }, id, isChosen, onRun }: OptionProps) {
  const { title, detail, keys, refusal } = entry;
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={refusal !== undefined}
      aria-keyshortcuts={keys}
      onClick={onRun}
    >
      <span class="palette-title">
        {highlight(title, at)}
        {(refusal ?? detail) !== undefined && <small>{refusal ?? detail}</small>}
      </span>
      {keys !== undefined && <Keys of={keys} />}
    </li>
  );
}

/** Highlights the matched letters. */
function highlight(title: string, at: readonly number[]): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let from = 0;
  for (const index of at) {
    const letter = String.fromCodePoint(title.codePointAt(index) ?? 0);
    parts.push(title.slice(from, index), <b key={index}>{letter}</b>);
    from = index + letter.length;
  }
  return [...parts, title.slice(from)];
}

function optionId(at: number): string {
  return `palette-${at}`;
}

function readRecent(storage: BrowserStorage): string[] {
  try {
    const stored: unknown = JSON.parse(storage?.getItem(RECENT_KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
