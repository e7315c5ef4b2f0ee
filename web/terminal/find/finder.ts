// Owns a search in one terminal: text, options and matches. Starts at the newest line and goes back, since
// users look for recent output. Does not draw.

import { batch, signal } from "@preact/signals";
import type { ISearchOptions } from "@xterm/addon-search";
import { SearchAddon } from "@xterm/addon-search";
import type { Terminal } from "@xterm/xterm";
import { getSearchTheme, getMatchColors, getTheme } from "../../themes/theme.ts";

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
