// Owns searching in one terminal: the text, the options, the matches, and the bar that shows them.
// Starts at the newest line and goes back, since users look for recent output. Loaded on first use.

import { batch, signal } from "@preact/signals";
import type { ISearchOptions } from "@xterm/addon-search";
import { SearchAddon } from "@xterm/addon-search";
import type { Terminal } from "@xterm/xterm";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Command } from "../../commands/command.ts";
import { getHints } from "../../commands/command.ts";
import { useVisit } from "../../context.ts";
import { getSearchTheme, getMatchColors, getTheme } from "../../themes/theme.ts";
import { LEAVE_FIND, MATCH_CASE, NEWER, OLDER, REGEX } from "../screen-commands.ts";
import "./find.css";

export interface FindBarProps {
  finder: Finder;
  onLeave: () => void;
}

export function FindBar({ finder, onLeave }: FindBarProps) {
  const { session, commands } = useVisit();
  const input = useRef<HTMLInputElement>(null);
  const focus = finder.focus.value;
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [focus]);
  const error = finder.error.value;
  const matches = finder.matches.value;
  return (
    <div
      class="find"
      role="search"
      aria-label="Find in the terminal"
      onKeyDown={(event) => {
        // Enter on a button presses the button.
        if (event.key === "Enter" && event.target !== input.current) return;
        commands.onKeyDown(event, session, "find");
      }}
    >
      <input
        ref={input}
        type="text"
        aria-label="Find"
        placeholder="Find"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={error !== undefined || matches?.count === 0}
        value={finder.text.value}
        onInput={(event) => finder.search(event.currentTarget.value)}
      />
      <output class="find-count" aria-live="polite">
        {error ?? formatMatches(matches)}
      </output>
      <FindButton
        command={MATCH_CASE}
        pressed={finder.caseSensitive.value}
        onPress={() => finder.toggle("caseSensitive")}
      >
        Aa
      </FindButton>
      <FindButton
        command={REGEX}
        pressed={finder.regex.value}
        onPress={() => finder.toggle("regex")}
      >
        .*
      </FindButton>
      <FindButton command={OLDER} onPress={() => finder.findOlder()}>
        ↑
      </FindButton>
      <FindButton command={NEWER} onPress={() => finder.findNewer()}>
        ↓
      </FindButton>
      <FindButton command={LEAVE_FIND} onPress={onLeave}>
        ×
      </FindButton>
    </div>
  );
}

interface FindButtonProps {
  command: Command;
  pressed?: boolean;
  onPress: () => void;
  children: string;
}

function FindButton({ command, pressed, onPress, children }: FindButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={command.title}
      aria-pressed={pressed}
      {...getHints(command)}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

/** Each match is a DOM element; a letter that is on every line must not slow down the page. */
const MAX_MATCHES = 1000;

export interface Matches {
  readonly count: number;
  /** Index from 1, oldest first; 0 if the current match is beyond the counted ones. */
  readonly at: number;
}

export type Option = "caseSensitive" | "regex";

export class Finder {
  readonly text = signal("");
  readonly caseSensitive = signal(false);
  readonly regex = signal(false);
  /** Undefined while there is no search text. */
  readonly matches = signal<Matches | undefined>(undefined);
  /** Error message for an invalid search text. */
  readonly error = signal<string | undefined>(undefined);
  /** Incremented to move the focus into the bar. */
  readonly focus = signal(0);
  readonly #term: Terminal;
  readonly #addon = new SearchAddon({ highlightLimit: MAX_MATCHES });

  constructor(term: Terminal) {
    this.#term = term;
    term.loadAddon(this.#addon);
    term.options.theme = getSearchTheme();
    this.#addon.onDidChangeResults(({ resultCount, resultIndex }) => {
      const isSearching = this.text.peek() !== "" && this.error.peek() === undefined;
      this.matches.value = isSearching ? { count: resultCount, at: resultIndex + 1 } : undefined;
    });
  }

  /** Starts a search with the selection if it is on one line, else repeats the last one. */
  start(): void {
    const selected = this.#term.getSelection();
    this.focus.value += 1;
    if (selected !== "" && !selected.includes("\n")) this.search(selected);
    else if (this.text.peek() !== "") this.search(this.text.peek());
  }

  search(text: string): void {
    batch(() => {
      this.text.value = text;
      this.error.value = this.regex.peek() ? findRegexError(text) : undefined;
      if (text === "" || this.error.peek() !== undefined) this.#clearMatches();
      else this.findOlder();
    });
  }

  findOlder(): void {
    if (this.#isReady()) this.#addon.findPrevious(this.text.peek(), this.#options());
  }

  findNewer(): void {
    if (this.#isReady()) this.#addon.findNext(this.text.peek(), this.#options());
  }

  toggle(option: Option): void {
    this[option].value = !this[option].peek();
    // The addon compares only the text, not the options, so its state has to be cleared.
    this.#addon.clearDecorations();
    this.search(this.text.peek());
  }

  /** Ends the search; the current match stays selected, so that it can be copied. */
  dispose(): void {
    this.#addon.dispose();
    this.#term.options.theme = getTheme();
  }

  #isReady(): boolean {
    return this.text.peek() !== "" && this.error.peek() === undefined;
  }

  #clearMatches(): void {
    this.#addon.clearDecorations();
    this.#term.clearSelection();
    this.matches.value = undefined;
  }

  #options(): ISearchOptions {
    return {
      caseSensitive: this.caseSensitive.peek(),
      regex: this.regex.peek(),
      decorations: getMatchColors(),
    };
  }
}

/** Formats the number of matches and the current one. */
export function formatMatches(matches: Matches | undefined): string {
  if (!matches) return "";
  if (matches.count === 0) return "No matches";
  const count = matches.count >= MAX_MATCHES ? `${MAX_MATCHES}+` : String(matches.count);
  return matches.at > 0
    ? `${matches.at} of ${count}`
    : `${count} ${matches.count === 1 ? "match" : "matches"}`;
}

function findRegexError(text: string): string | undefined {
  try {
    return void new RegExp(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "Not a regular expression";
  }
}
