// Owns a search through one terminal: what is sought, how, and what was found. Begins at the newest
// line and goes back, as people look for what they saw last. Does not draw.

import { batch, signal } from "@preact/signals";
import type { ISearchOptions } from "@xterm/addon-search";
import { SearchAddon } from "@xterm/addon-search";
import type { Terminal } from "@xterm/xterm";
import { findingTheme, foundColors, theme } from "../../themes/theme.ts";

/** Marks are elements; a letter that is on every line must not make the page crawl. */
const MOST_HITS = 1000;

export interface Hits {
  readonly count: number;
  /** From 1, the oldest first; 0 where it is none of those that were counted. */
  readonly at: number;
}

export type Option = "caseSensitive" | "regex";

export class Finder {
  readonly text = signal("");
  readonly caseSensitive = signal(false);
  readonly regex = signal(false);
  /** Undefined while nothing is sought. */
  readonly hits = signal<Hits | undefined>(undefined);
  /** Why it cannot be sought, in a sentence. */
  readonly fault = signal<string | undefined>(undefined);
  /** Counts requests to move the focus into the bar. */
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

  /** Begins, with what is selected where that is a word or a line. */
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
    // The addon takes the same text for the same search, whatever the options are.
    this.#addon.clearDecorations();
    this.seek(this.text.peek());
  }

  /** The hit stays selected, so that it can be copied. */
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

/** How many there are and which one this is, in words. */
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
