// Owns one xterm in its element: options, addons, fonts, fitting. Does not know the session.
// This file and what it imports is the page's lazy part.

import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal } from "@xterm/xterm";
import { boundCounts } from "../../protocol/counts.ts";
import { LEAST_CONTRAST, mendInverse } from "./contrast.ts";
import { harmless } from "./pieces.ts";
import { Renderer } from "./renderer.ts";
import { paintSelectionsOnly } from "./selection-paint.ts";
import { silence } from "./silence.ts";
import type { Size } from "./size.ts";
import { fontFor } from "./size.ts";
import { FONT_FAMILY, onThemeChange, theme } from "./themes.ts";

const FONT_PX = 13;

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

  constructor(host: HTMLElement) {
    this.term = new Terminal({
      // Unicode versions are still "proposed" in xterm 6.
      allowProposedApi: true,
      cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      fontFamily: FONT_FAMILY,
      fontSize: FONT_PX,
      lineHeight: 1.2,
      minimumContrastRatio: LEAST_CONTRAST,
      scrollback: 5000,
      theme: theme(),
    });
    this.term.loadAddon(this.#fit);
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = "11";
    this.term.loadAddon(
      new WebLinksAddon((_event, uri) => {
        window.open(uri, "_blank", "noopener,noreferrer");
      }),
    );
    silence(this.term.parser);
    boundCounts(this.term);
    this.term.open(host);
    paintSelectionsOnly(this.term);
    mendInverse(this.term);
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
    // A handle for the developer tools and for the browser tests; nothing here reads it.
    Object.assign(host, { terminal: this.term });
    this.#unwatch = onThemeChange(() => {
      this.term.options.theme = theme();
    });
  }

  get size(): Size {
    return { cols: this.term.cols, rows: this.term.rows };
  }

  /** What fits at the normal font; undefined while the element has no size. */
  fits(): Size | undefined {
    const parent = this.term.element?.parentElement;
    if (!parent || parent.clientWidth === 0 || parent.clientHeight === 0) return undefined;
    const { kind } = this.#renderer;
    const box = `${parent.clientWidth}x${parent.clientHeight}@${devicePixelRatio} ${kind}`;
    if (measured?.box === box) return measured.size;
    const font = this.term.options.fontSize ?? FONT_PX;
    // xterm measures at once, and nothing is painted in between.
    if (font !== FONT_PX) this.term.options.fontSize = FONT_PX;
    const size = this.#fit.proposeDimensions();
    if (font !== FONT_PX) this.term.options.fontSize = font;
    if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return undefined;
    measured = { box, size: { cols: size.cols, rows: size.rows } };
    return measured.size;
  }

  /** Takes `size` and shrinks the font until it fits: scaling by CSS would misplace the mouse. */
  show(size: Size): void {
    const fits = this.fits();
    if (fits) this.#shrink(fontFor(FONT_PX, LEAST_FONT_PX, fits, size), size);
    this.term.resize(size.cols, size.rows);
  }

  /** xterm rounds cells to whole pixels, so an estimate may be a little too large: ask it. */
  #shrink(estimate: number, size: Size): void {
    for (let font = estimate; font >= LEAST_FONT_PX; font -= 0.5) {
      if (font !== this.term.options.fontSize) this.term.options.fontSize = font;
      const room = this.#fit.proposeDimensions();
      if (font === FONT_PX || !room) return;
      if (room.cols >= size.cols && room.rows >= size.rows) return;
    }
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
