// Owns one xterm in its element: options, addons, fonts, fitting. Does not know the session. Loaded lazily.

import { effect } from "@preact/signals";
import { FitAddon } from "@xterm/addon-fit";
import type { Terminal } from "@xterm/xterm";
import { settings } from "../settings/settings.ts";
import { CursorBlink } from "./xterm-patches.ts";
import { Renderer } from "./renderer.ts";
import type { FontSetting, Size } from "./screen-size.ts";
import { getLowSetting, candidateSettings } from "./screen-size.ts";
import { applyUserSettings, openTerminal } from "./xterm.ts";

const LINE_HEIGHT = 1.2;

/** Attribute of the root element, set on a phone in landscape with its keyboard open, where space is scarce. */
const LOW_ATTRIBUTE = "data-low";

/** Hard to read, but shows all rows, including the prompt. A screen that needs a smaller font is scrolled. */
const MIN_FONT_PX = 4;

/** Larger on touch screens, which can be panned: legible text matters more than the whole screen. */
const MIN_TOUCH_FONT_PX = 8;

/** Limit for enlarging the text of a screen that is smaller than this window. */
const MAX_FONT_GROWTH = 1.5;

export interface EmulatorOptions {
  onLink: (uri: string) => void;
  onPaste: (text: string) => void;
  /** Handles pasted files; returns whether there were any. */
  onClipboard: (clipboard: DataTransfer | null) => boolean;
  /** The user's font size, px. */
  font: number;
}

/**
 * Cache of the size that fits, by the panel's dimensions. xterm rounds the total width, so a cell's width
 * depends on the number of columns: measuring again could alternate between n and n + 1 columns.
 */
const measuredSizes = new Map<string, Size>();
/** Entries in the cache of measured sizes. */
const MAX_MEASURED = 32;

export class Emulator {
  readonly term: Terminal;
  readonly #fit = new FitAddon();
  readonly #renderer: Renderer;
  readonly #disposeListeners: () => void;
  #normal: FontSetting;
  /** The user's font size; low screens may use a smaller one. */
  #font: number;
  #setting: FontSetting;
  /** Font that the user chose for viewing another window's size; undefined to fit it. */
  #chosenFont: number | undefined;
  /** Cache key of the last measured panel: dimensions, renderer and font. */
  #measureKey = "";
  /** Inputs of the last search for a setting; the search is skipped while they are the same. */
  #lastSearch = "";
  #isWhole = true;

  constructor(host: HTMLElement, { onLink, onPaste, onClipboard, font }: EmulatorOptions) {
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
    // Captured before xterm, which would paste without checks.
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
    // Also for a click beside a screen that is smaller than its element.
    host.addEventListener("click", () => this.term.focus());
    const blinking = blinks ? new CursorBlink(host, this.term) : undefined;
    const stopSettings = applyUserSettings(this.term);
    const unwatch = effect(() => {
      this.term.options.scrollback = settings.value.scrollback;
    });
    this.#disposeListeners = () => {
      blinking?.dispose();
      stopSettings();
      unwatch();
    };
  }

  get size(): Size {
    return { cols: this.term.cols, rows: this.term.rows };
  }

  /** Whether the font or line height differs from the normal one to make the size fit. */
  get scaled(): boolean {
    const { font, lineHeight } = this.#setting;
    return font !== this.#normal.font || lineHeight !== this.#normal.lineHeight;
  }

  /** Whether the whole screen is visible; otherwise it can be panned. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Current font size, px. */
  get font(): number {
    return this.#setting.font;
  }

  /** Sets the font size for terminals at this window's own size. */
  set normalFont(font: number) {
    this.#font = font;
    this.#normal = { font, lineHeight: LINE_HEIGHT };
  }

  /** Whether the user chose a font for viewing another window's size. */
  get hasChosenFont(): boolean {
    return this.#chosenFont !== undefined;
  }

  /** Sets the font for viewing another window's size, even if it does not fit; undefined to fit it. */
  set chosenFont(font: number | undefined) {
    this.#chosenFont = font;
  }

  /** Clears only the scrollback: programs rely on the content of the screen. */
  clearScrollback(): void {
    this.term.options.scrollback = 0;
    this.term.options.scrollback = settings.peek().scrollback;
  }

  /** Returns the size that fits at the normal font; undefined while the element has no size. */
  measureFit(): Size | undefined {
    const parent = this.term.element?.parentElement;
    if (!parent || parent.clientWidth === 0 || parent.clientHeight === 0) return undefined;
    const normal = document.documentElement.hasAttribute(LOW_ATTRIBUTE)
      ? getLowSetting(this.#font, parent.clientHeight)
      : { font: this.#font, lineHeight: LINE_HEIGHT };
    const isNew =
      normal.font !== this.#normal.font || normal.lineHeight !== this.#normal.lineHeight;
    if (isNew) this.#normal = normal;
    const { kind } = this.#renderer;
    const { font } = this.#normal;
    const place = `${parent.clientWidth}x${parent.clientHeight}@${devicePixelRatio}`;
    const box = `${place} ${kind} ${font} ${settings.peek().font}`;
    this.#measureKey = box;
    const known = measuredSizes.get(box);
    if (known) return known;
    const before = this.#setting;
    // xterm measures synchronously, so nothing is painted in between.
    this.#applySetting(this.#normal);
    const size = this.#fit.proposeDimensions();
    this.#applySetting(before);
    if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return undefined;
    const [oldest] = measuredSizes.keys();
    if (oldest !== undefined && measuredSizes.size >= MAX_MEASURED) measuredSizes.delete(oldest);
    measuredSizes.set(box, { cols: size.cols, rows: size.rows });
    return measuredSizes.get(box);
  }

  /** Resizes to `size`, with the font in which it fits; scaling by CSS would misplace the mouse. */
  showSize(size: Size): void {
    const fits = this.measureFit();
    const isNew = fits !== undefined && this.#findSetting(fits, size);
    this.term.resize(size.cols, size.rows);
    // After the resize: xterm computes a cell's width from the current number of columns.
    if (isNew) this.#isWhole = this.#isWithin(fits, size) || this.#hasRoomFor(size);
  }

  /** Finds the font by trying, since xterm rounds cells to whole pixels; returns false if nothing changed. */
  #findSetting(fits: Size, size: Size): boolean {
    const what = `${size.cols}x${size.rows} in ${this.#measureKey} ${this.#chosenFont}`;
    if (what === this.#lastSearch) return false;
    this.#lastSearch = what;
    this.#applySetting(this.#settingFor(fits, size));
    return true;
  }

  /** Whether the size fits at the normal font, for which the result is already known. */
  #isWithin(fits: Size, size: Size): boolean {
    return !this.scaled && size.cols <= fits.cols && size.rows <= fits.rows;
  }

  #settingFor(fits: Size, size: Size): FontSetting {
    if (this.#chosenFont !== undefined) return { font: this.#chosenFont, lineHeight: LINE_HEIGHT };
    const isTouch = matchMedia("(pointer: coarse)").matches;
    const least = Math.min(isTouch ? MIN_TOUCH_FONT_PX : MIN_FONT_PX, this.#normal.font);
    const most = Math.floor(this.#normal.font * MAX_FONT_GROWTH);
    for (const setting of candidateSettings(this.#normal, { least, most }, fits, size)) {
      this.#applySetting(setting);
      if (setting === this.#normal || this.#hasRoomFor(size)) return setting;
    }
    return this.#setting;
  }

  #hasRoomFor({ cols, rows }: Size): boolean {
    const room = this.#fit.proposeDimensions();
    return !room || (room.cols >= cols && room.rows >= rows);
  }

  #applySetting(setting: FontSetting): void {
    const { options } = this.term;
    if (setting.font !== this.#setting.font) options.fontSize = setting.font;
    if (setting.lineHeight !== this.#setting.lineHeight) options.lineHeight = setting.lineHeight;
    this.#setting = setting;
  }

  /** Acquires the graphics card again when the terminal becomes visible. */
  onShown(): void {
    this.#renderer.accelerate();
  }

  /** Runs after everything written so far is parsed; xterm's reset and resize would not wait for it. */
  afterWrites(run: () => void): void {
    this.term.write("", run);
  }

  dispose(): void {
    this.#disposeListeners();
    this.term.dispose();
  }
}
