// Owns one xterm in its element: options, addons, fonts, fitting. Does not know the session.
// This file and what it imports is the page's lazy part.

import { effect } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import type { Terminal } from "@xterm/xterm";
import { settings } from "../settings/settings.ts";
import { Blinking } from "./blinking.ts";
import { Renderer } from "./renderer.ts";
import type { Setting, Size } from "./size.ts";
import { lowSetting, settingsFor } from "./size.ts";
import { dress, openTerminal } from "./xterm.ts";

const LINE_HEIGHT = 1.2;

/** A phone on its side with the keyboard open: every line counts. As ui/seen.ts marks the page. */
const LOW_MARK = "data-low";

/** Hard to read, but whole: rows that are cut off hide the prompt. Smaller still is scrolled. */
const LEAST_FONT_PX = 4;

/** A finger pans: letters that can be read are worth more there than the whole at once. */
const LEAST_TOUCH_FONT_PX = 8;

/** Another's small window is not blown up beyond this. */
const MOST_GROWTH = 1.5;

export interface EmulatorRules {
  onLink: (uri: string) => void;
  onPaste: (text: string) => void;
  /** Pasted, too; true where it was something. */
  onClipboard: (clipboard: DataTransfer | null) => boolean;
  /** The size of letters that this person likes. */
  font: number;
}

/**
 * What fits the panel, measured once for each size of it. xterm rounds the width of all columns
 * together, so a cell's width depends on their number, and measuring anew may answer n + 1 at n
 * columns and n at n + 1.
 */
const measured = new Map<string, Size>();
/** Of the sizes that panes had lately. */
const MOST_MEASURED = 32;

export class Emulator {
  readonly term: Terminal;
  readonly #fit = new FitAddon();
  readonly #renderer: Renderer;
  readonly #unwatch: () => void;
  #normal: Setting;
  /** What the person likes, where there is room for it. */
  #font: number;
  #setting: Setting;
  /** Of this person's choice for another's size; undefined for what fits. */
  #chosen: number | undefined;
  /** The place that it last had, with all that says what fits in it. */
  #box = "";
  /** What the setting was last sought for. */
  #scaled = "";
  #isWhole = true;

  constructor(host: HTMLElement, { onLink, onPaste, onClipboard, font }: EmulatorRules) {
    this.#font = font;
    this.#normal = { font, lineHeight: LINE_HEIGHT };
    this.#setting = this.#normal;
    const blinks = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.term = openTerminal(host, onLink, {
      cursorBlink: blinks,
      fontSize: font,
      lineHeight: LINE_HEIGHT,
      scrollback: settings.peek().scrollback,
    });
    this.term.loadAddon(this.#fit);
    this.#renderer = new Renderer(this.term);
    this.#renderer.accelerate();
    // Before xterm, which pastes what it is given.
    host.addEventListener(
      "paste",
      (event) => {
        event.preventDefault();
        event.stopPropagation();
        if (onClipboard(event.clipboardData)) return;
        onPaste(event.clipboardData?.getData("text/plain") ?? "");
      },
      { capture: true },
    );
    // Also beside a screen that is smaller than its place.
    host.addEventListener("click", () => this.term.focus());
    const blinking = blinks ? new Blinking(host, this.term) : undefined;
    const undress = dress(this.term);
    const unwatch = effect(() => {
      this.term.options.scrollback = settings.value.scrollback;
    });
    this.#unwatch = () => {
      blinking?.dispose();
      undress();
      unwatch();
    };
  }

  get size(): Size {
    return { cols: this.term.cols, rows: this.term.rows };
  }

  /** Whether letters are set otherwise than they would be, so that the size fits. */
  get scaled(): boolean {
    const { font, lineHeight } = this.#setting;
    return font !== this.#normal.font || lineHeight !== this.#normal.lineHeight;
  }

  /** Whether all of the size is in sight; the rest of it is panned to. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What letters are set in now. */
  get font(): number {
    return this.#setting.font;
  }

  /** What they are set in where the size is our own. */
  set normalFont(font: number) {
    this.#font = font;
    this.#normal = { font, lineHeight: LINE_HEIGHT };
  }

  /** Whether the person chose the letters for another's size. */
  get isChosen(): boolean {
    return this.#chosen !== undefined;
  }

  /** For another's size, whether or not it fits; undefined for what fits. */
  set chosenFont(font: number | undefined) {
    this.#chosen = font;
  }

  /** What is on the screen stays: a program knows where it put it. */
  clearScrollback(): void {
    this.term.options.scrollback = 0;
    this.term.options.scrollback = settings.peek().scrollback;
  }

  /** What fits at the normal font; undefined while the element has no size. */
  fits(): Size | undefined {
    const parent = this.term.element?.parentElement;
    if (!parent || parent.clientWidth === 0 || parent.clientHeight === 0) return undefined;
    const normal = document.documentElement.hasAttribute(LOW_MARK)
      ? lowSetting(this.#font, parent.clientHeight)
      : { font: this.#font, lineHeight: LINE_HEIGHT };
    const isNew =
      normal.font !== this.#normal.font || normal.lineHeight !== this.#normal.lineHeight;
    if (isNew) this.#normal = normal;
    const { kind } = this.#renderer;
    const { font } = this.#normal;
    const place = `${parent.clientWidth}x${parent.clientHeight}@${devicePixelRatio}`;
    const box = `${place} ${kind} ${font} ${settings.peek().font}`;
    this.#box = box;
    const known = measured.get(box);
    if (known) return known;
    const before = this.#setting;
    // xterm measures at once, and nothing is painted in between.
    this.#set(this.#normal);
    const size = this.#fit.proposeDimensions();
    this.#set(before);
    if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return undefined;
    const [oldest] = measured.keys();
    if (oldest !== undefined && measured.size >= MOST_MEASURED) measured.delete(oldest);
    measured.set(box, { cols: size.cols, rows: size.rows });
    return measured.get(box);
  }

  /** Takes `size` in the font in which it fits: scaling by CSS would misplace the mouse. */
  show(size: Size): void {
    const fits = this.fits();
    const isNew = fits !== undefined && this.#scale(fits, size);
    this.term.resize(size.cols, size.rows);
    // Only now: xterm's cells are as wide as its whole screen divided by the columns of the moment.
    if (isNew) this.#isWhole = this.#isWithin(fits, size) || this.#hasRoomFor(size);
  }

  /** Whether that is news. xterm rounds cells to whole pixels, so the largest letters that fit are found by asking it. */
  #scale(fits: Size, size: Size): boolean {
    const what = `${size.cols}x${size.rows} in ${this.#box} ${this.#chosen}`;
    if (what === this.#scaled) return false;
    this.#scaled = what;
    this.#set(this.#settingFor(fits, size));
    return true;
  }

  /** In the normal letters what fits is known, and is not measured again. */
  #isWithin(fits: Size, size: Size): boolean {
    return !this.scaled && size.cols <= fits.cols && size.rows <= fits.rows;
  }

  #settingFor(fits: Size, size: Size): Setting {
    if (this.#chosen !== undefined) return { font: this.#chosen, lineHeight: LINE_HEIGHT };
    const isTouch = matchMedia("(pointer: coarse)").matches;
    const least = Math.min(isTouch ? LEAST_TOUCH_FONT_PX : LEAST_FONT_PX, this.#normal.font);
    const most = Math.floor(this.#normal.font * MOST_GROWTH);
    for (const setting of settingsFor(this.#normal, { least, most }, fits, size)) {
      this.#set(setting);
      if (setting === this.#normal || this.#hasRoomFor(size)) return setting;
    }
    return this.#setting;
  }

  #hasRoomFor({ cols, rows }: Size): boolean {
    const room = this.#fit.proposeDimensions();
    return !room || (room.cols >= cols && room.rows >= rows);
  }

  #set(setting: Setting): void {
    const { options } = this.term;
    if (setting.font !== this.#setting.font) options.fontSize = setting.font;
    if (setting.lineHeight !== this.#setting.lineHeight) options.lineHeight = setting.lineHeight;
    this.#setting = setting;
  }

  /** It has come into view. */
  shown(): void {
    this.#renderer.accelerate();
  }

  /** Runs once everything written before is on the screen: reset and resize do not wait. */
  inTurn(run: () => void): void {
    this.term.write("", run);
  }

  dispose(): void {
    this.#unwatch();
    this.term.dispose();
  }
}
