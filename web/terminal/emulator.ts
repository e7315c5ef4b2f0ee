// Owns one xterm in its element: options, addons, fonts, fitting. Does not know the session.
// This file and what it imports is the page's lazy part.

import { FitAddon } from "@xterm/addon-fit";
import type { Terminal } from "@xterm/xterm";
import { harmless } from "./pieces.ts";
import { Renderer } from "./renderer.ts";
import type { Setting, Size } from "./size.ts";
import { settingsFor } from "./size.ts";
import { onThemeChange, theme } from "./themes.ts";
import { openTerminal } from "./xterm.ts";

const NORMAL: Setting = { font: 13, lineHeight: 1.2 };

/** Hard to read, but whole: rows that are cut off hide the prompt. Smaller still is scrolled. */
const LEAST_FONT_PX = 4;

/**
 * What fits the panel, measured once for each size of it. xterm rounds the width of all columns
 * together, so a cell's width depends on their number, and measuring anew may answer n + 1 at n
 * columns and n at n + 1.
 */
let measured: { box: string; size: Size } | undefined;

export class Emulator {
  readonly term: Terminal;
  readonly #fit = new FitAddon();
  readonly #renderer: Renderer;
  readonly #unwatch: () => void;
  #setting = NORMAL;
  /** What the setting was last sought for. */
  #shrunk = "";

  constructor(host: HTMLElement) {
    this.term = openTerminal(host, {
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      fontSize: NORMAL.font,
      lineHeight: NORMAL.lineHeight,
      scrollback: 5000,
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
        this.term.paste(harmless(event.clipboardData?.getData("text/plain") ?? ""));
      },
      { capture: true },
    );
    // Also beside a screen that is smaller than its place.
    host.addEventListener("click", () => this.term.focus());
    this.#unwatch = onThemeChange(() => {
      this.term.options.theme = theme();
    });
  }

  get size(): Size {
    return { cols: this.term.cols, rows: this.term.rows };
  }

  /** Whether letters are set smaller or closer than they would be, so that the size fits. */
  get scaled(): boolean {
    return this.#setting.font < NORMAL.font || this.#setting.lineHeight < NORMAL.lineHeight;
  }

  /** What fits at the normal font; undefined while the element has no size. */
  fits(): Size | undefined {
    const parent = this.term.element?.parentElement;
    if (!parent || parent.clientWidth === 0 || parent.clientHeight === 0) return undefined;
    const { kind } = this.#renderer;
    const box = `${parent.clientWidth}x${parent.clientHeight}@${devicePixelRatio} ${kind}`;
    if (measured?.box === box) return measured.size;
    const before = this.#setting;
    // xterm measures at once, and nothing is painted in between.
    this.#set(NORMAL);
    const size = this.#fit.proposeDimensions();
    this.#set(before);
    if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return undefined;
    measured = { box, size: { cols: size.cols, rows: size.rows } };
    return measured.size;
  }

  /** Takes `size` and shrinks the font until it fits: scaling by CSS would misplace the mouse. */
  show(size: Size): void {
    const fits = this.fits();
    if (fits) this.#shrink(fits, size);
    this.term.resize(size.cols, size.rows);
  }

  /** xterm rounds cells to whole pixels, so the largest letters that fit are found by asking it. */
  #shrink(fits: Size, size: Size): void {
    const what = `${size.cols}x${size.rows} in ${measured?.box}`;
    if (what === this.#shrunk) return;
    this.#shrunk = what;
    for (const setting of settingsFor(NORMAL, LEAST_FONT_PX, fits, size)) {
      this.#set(setting);
      if (setting === NORMAL) return;
      const room = this.#fit.proposeDimensions();
      if (!room || (room.cols >= size.cols && room.rows >= size.rows)) return;
    }
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
