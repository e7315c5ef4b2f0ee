// Owns the terminal modes that a program has set, tracked through every byte: the initial state of
// a screen that is rebuilt from the middle of a stream. Pure. Follows xterm.

import {
  CHARSETS,
  formatCharsets,
  LEVEL_BY_DESIGNATOR,
  LEVEL_BY_SHIFT,
  ALTERNATE_SCREEN_MODES,
  CURSOR_SHOWN,
  ENTER_ALTERNATE,
  INSERT_MODE,
  KEYPAD_MODE,
  formatMode,
  MOUSE_ENCODINGS,
  MOUSE_PROTOCOLS,
  NEWLINE_MODE,
  PRIVATE_MODES,
} from "../sequences/mode-table.ts";
import type { Sequence } from "../sequences/sequence.ts";

/** Longer titles are cut: every mark may have one. */
const MAX_TITLE_CHARS = 200;

/** Size of xterm's title stack. */
const MAX_TITLE_STACK = 10;

interface Region {
  readonly top: number;
  readonly bottom: number;
}

/** Whether a mode is set in a fresh terminal. */
const PRIVATE: ReadonlyMap<number, boolean> = new Map(
  PRIVATE_MODES.map(({ number, fresh }) => [number, fresh]),
);
const MOUSE = new Set(Object.values(MOUSE_PROTOCOLS));
const MOUSE_ENCODING = new Set(Object.values(MOUSE_ENCODINGS));
const ALTERNATE = new Set(ALTERNATE_SCREEN_MODES);

/** G0 to G3 in a fresh terminal. */
const FRESH_CHARSETS: readonly (string | undefined)[] = [
  undefined,
  undefined,
  undefined,
  undefined,
];

export class TerminalModes {
  #rows: number;
  readonly #private = new Set<number>();
  #mouse = 0;
  #mouseEncoding = 0;
  #alternate = false;
  #insert = false;
  #newline = false;
  #cursorStyle = 0;
  #charsets = [...FRESH_CHARSETS];
  #level = 0;
  #title = "";
  #titleStack: string[] = [];
  #titlesSet = 0;
  #normalRegion: Region | undefined;
  #alternateRegion: Region | undefined;
  #text: string | undefined = "";

  constructor(rows: number) {
    this.#rows = rows;
  }

  get isAlternate(): boolean {
    return this.#alternate;
  }

  /** Returns the program's title, not cleaned. */
  get title(): string {
    return this.#title;
  }

  /** How often a title was set: an equal title may come from another program. */
  get titlesSet(): number {
    return this.#titlesSet;
  }

  /** Resizes; this resets scroll regions. */
  resize(rows: number): void {
    this.#rows = rows;
    this.#normalRegion = undefined;
    this.#alternateRegion = undefined;
    this.#text = undefined;
  }

  apply(sequence: Sequence): void {
    if (!this.#apply(sequence)) return;
    this.#text = undefined;
  }

  /** Returns the sequences that set these modes in a fresh terminal. */
  text(): string {
    this.#text ??= this.#format();
    return this.#text;
  }

  #apply(sequence: Sequence): boolean {
    switch (sequence.kind) {
      case "csi":
        return this.#csi(sequence);
      case "esc":
        return this.#esc(sequence);
      case "osc":
        return this.#osc(sequence);
      case "shift":
        this.#level = LEVEL_BY_SHIFT.get(sequence.final) ?? 0;
        return true;
      default:
        return false;
    }
  }

  #csi({ prefix, intermediates, final, params }: Sequence): boolean {
    if (intermediates === "") {
      if (final === "h" || final === "l") {
        if (prefix === "?") for (const number of params) this.#setPrivate(number, final === "h");
        if (prefix === "") for (const number of params) this.#set(number, final === "h");
        return prefix === "?" || prefix === "";
      }
      if (final === "r" && prefix === "") return this.#setRegion(params);
      if (final === "t" && prefix === "") return this.#pushOrPopTitle(params);
      return false;
    }
    if (prefix !== "") return false;
    if (intermediates === "!" && final === "p") return this.#softReset();
    if (intermediates === " " && final === "q") {
      const style = params[0] ?? 0;
      if (style <= 6) this.#cursorStyle = style;
      return style <= 6;
    }
    return false;
  }

  #setPrivate(number: number, on: boolean): void {
    const fresh = PRIVATE.get(number);
    if (fresh !== undefined) {
      if (on === fresh) this.#private.delete(number);
      else this.#private.add(number);
    } else if (MOUSE.has(number)) this.#mouse = on ? number : 0;
    else if (MOUSE_ENCODING.has(number)) this.#mouseEncoding = on ? number : 0;
    else if (ALTERNATE.has(number)) {
      if (this.#alternate && !on) this.#alternateRegion = undefined;
      this.#alternate = on;
    } else if (number === 2 && on) this.#charsets = [...FRESH_CHARSETS];
  }

  #set(number: number, on: boolean): void {
    if (number === INSERT_MODE) this.#insert = on;
    if (number === NEWLINE_MODE) this.#newline = on;
  }

  #setRegion(params: readonly number[]): boolean {
    const rows = this.#rows;
    const top = params[0] || 1;
    const requested = params[1] ?? 0;
    const bottom = requested === 0 || requested > rows ? rows : requested;
    if (bottom <= top) return false;
    const region = top === 1 && bottom === rows ? undefined : { top, bottom };
    if (this.#alternate) this.#alternateRegion = region;
    else this.#normalRegion = region;
    return true;
  }

  /** Pushes or pops the title: an editor restores the shell's title when it ends. */
  #pushOrPopTitle([what, which = 0]: readonly number[]): boolean {
    if (which !== 0 && which !== 2) return false;
    if (what === 22) {
      this.#titleStack = [...this.#titleStack, this.#title].slice(-MAX_TITLE_STACK);
      return false;
    }
    if (what !== 23) return false;
    this.#title = this.#titleStack.pop() ?? this.#title;
    this.#titlesSet += 1;
    return true;
  }

  #softReset(): true {
    this.#private.clear();
    this.#insert = false;
    this.#cursorStyle = 0;
    this.#charsets = [...FRESH_CHARSETS];
    this.#level = 0;
    if (this.#alternate) this.#alternateRegion = undefined;
    else this.#normalRegion = undefined;
    return true;
  }

  #esc({ intermediates, final }: Sequence): boolean {
    if (intermediates === "") {
      if (final === "c") return this.#fullReset();
      if (final === "=" || final === ">") {
        this.#setPrivate(KEYPAD_MODE, final === "=");
        return true;
      }
      const level = LEVEL_BY_SHIFT.get(final);
      if (level === undefined) return false;
      this.#level = level;
      return true;
    }
    if (intermediates === "%" && (final === "@" || final === "G")) {
      this.#level = 0;
      this.#charsets[0] = undefined;
      return true;
    }
    const designated = LEVEL_BY_DESIGNATOR.get(intermediates);
    if (designated === undefined || !CHARSETS.has(final)) return false;
    this.#charsets[designated] = final;
    return true;
  }

  /** Resets all but title, newline mode and cursor visibility, as xterm does. */
  #fullReset(): true {
    const hidden = this.#private.has(CURSOR_SHOWN);
    this.#softReset();
    if (hidden) this.#private.add(CURSOR_SHOWN);
    this.#mouse = 0;
    this.#mouseEncoding = 0;
    this.#alternate = false;
    this.#normalRegion = undefined;
    this.#alternateRegion = undefined;
    return true;
  }

  #osc({ text, isWhole }: Sequence): boolean {
    if (!isWhole || (!text.startsWith("0;") && !text.startsWith("2;"))) return false;
    this.#title = text.slice(2, 2 + MAX_TITLE_CHARS);
    this.#titlesSet += 1;
    return true;
  }

  #format(): string {
    let text = formatRegion(this.#normalRegion);
    if (this.#alternate) text += ENTER_ALTERNATE + formatRegion(this.#alternateRegion);
    for (const number of this.#private) text += formatMode(number, PRIVATE.get(number) === false);
    if (this.#mouse !== 0) text += formatMode(this.#mouse, true);
    if (this.#mouseEncoding !== 0) text += formatMode(this.#mouseEncoding, true);
    if (this.#insert) text += formatMode(INSERT_MODE, true, "");
    if (this.#newline) text += formatMode(NEWLINE_MODE, true, "");
    if (this.#cursorStyle !== 0) text += `\x1b[${this.#cursorStyle} q`;
    text += formatCharsets(this.#charsets, this.#level);
    return this.#title === "" ? text : `${text}\x1b]2;${this.#title}\x1b\\`;
  }
}

function formatRegion(set: Region | undefined): string {
  return set === undefined ? "" : `\x1b[${set.top};${set.bottom}r`;
}
