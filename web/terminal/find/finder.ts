// Owns a search in one terminal: text, options and matches. Starts at the newest line and goes back, since
// users look for recent output. Does not draw.

import { batch, signal } from "@preact/signals";
import type { ISearchOptions } from "@xterm/addon-search";
import { SearchAddon } from "@xterm/addon-search";
import type { Terminal } from "@xterm/xterm";
import { findingTheme, foundColors, theme } from "../../themes/theme.ts";

/** Each match is a DOM element; a letter that is on every line must not slow down the page. */
const MOST_HITS = 1000;

export interface Hits {
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
  readonly hits = signal<Hits | undefined>(undefined);
  /** Error message for an invalid search text. */
  readonly fault = signal<string | undefined>(undefined);
  /** Incremented to move the focus into the bar. */
  readonly focus = signal(0);
  readonly #term: Terminal;
  readonly #addon = new SearchAddon({ highlightLimit: MOST_HITS });

  constructor(term: Terminal) {
    this.#term = term;
    term.loadAddon(this.#addon);
    term.options.theme = findingTheme();
    this.#addon.onDidChangeResults(({ resultCount, resultIndex }) => {
      const isSought = this.text.peek() !== "" && this.fault.peek() === undefined;
      this.hits.value = isSought ? { count: resultCount, at: resultIndex + 1 } : undefined;
    });
  }

  /** Starts a search with the selection if it is on one line, else repeats the last one. */
  begin(): void {
    const selected = this.#term.getSelection();
    this.focus.value += 1;
    if (selected !== "" && !selected.includes("\n")) this.seek(selected);
    else if (this.text.peek() !== "") this.seek(this.text.peek());
  }

  seek(text: string): void {
    batch(() => {
      this.text.value = text;
      this.fault.value = this.regex.peek() ? faultOf(text) : undefined;
      if (text === "" || this.fault.peek() !== undefined) this.#forget();
      else this.older();
    });
  }

  older(): void {
    if (this.#isReady()) this.#addon.findPrevious(this.text.peek(), this.#options());
  }

  newer(): void {
    if (this.#isReady()) this.#addon.findNext(this.text.peek(), this.#options());
  }

  toggle(option: Option): void {
    this[option].value = !this[option].peek();
    // The addon compares only the text, not the options, so its state has to be cleared.
    this.#addon.clearDecorations();
    this.seek(this.text.peek());
  }

  /** Ends the search; the current match stays selected, so that it can be copied. */
  dispose(): void {
    this.#addon.dispose();
    this.#term.options.theme = theme();
  }

  #isReady(): boolean {
    return this.text.peek() !== "" && this.fault.peek() === undefined;
  }

  #forget(): void {
    this.#addon.clearDecorations();
    this.#term.clearSelection();
    this.hits.value = undefined;
  }

  #options(): ISearchOptions {
    return {
      caseSensitive: this.caseSensitive.peek(),
      regex: this.regex.peek(),
      decorations: foundColors(),
    };
  }
}

/** Formats the number of matches and the current one. */
export function hitsInWords(hits: Hits | undefined): string {
  if (!hits) return "";
  if (hits.count === 0) return "No matches";
  const count = hits.count >= MOST_HITS ? `${MOST_HITS}+` : String(hits.count);
  return hits.at > 0
    ? `${hits.at} of ${count}`
    : `${count} ${hits.count === 1 ? "match" : "matches"}`;
}

function faultOf(text: string): string | undefined {
  try {
    return void new RegExp(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "Not a regular expression";
  }
}
