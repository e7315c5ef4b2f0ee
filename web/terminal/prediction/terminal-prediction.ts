// Owns one terminal's predictions: passes keys and output to the predictor and draws the result.
// Loaded when first needed. Also owns drawing a prediction, underlined, over an emulator's screen,
// which stays unchanged.

import type { IDisposable, Terminal } from "@xterm/xterm";
import { readCursorRow } from "./cursor-row.ts";
import "./prediction.css";
import type { Guess } from "./predicted-line.ts";
import { Predictor } from "./predictor.ts";

/** A prediction expires after 1.5 times the slowest recent answer, at least half a second. */
const MIN_TIMEOUT_MS = 500;
const TIMEOUT_FACTOR = 1.5;

const BRACKETED_PASTE_MODE = 2004;

export class Prediction {
  readonly #term: Terminal;
  readonly #predictor = new Predictor();
  readonly #overlay: PredictionOverlay;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isDrawn = false;

  /**
   * `isLate`: whether keys were sent before this was loaded and are unanswered. `isReplay`: whether the
   * emulator is parsing a replay.
   */
  constructor(term: Terminal, isLate: boolean, isReplay: () => boolean) {
    this.#term = term;
    this.#overlay = new PredictionOverlay(term);
    this.#listeners = [
      term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (modes) => {
        if (modes.includes(BRACKETED_PASTE_MODE) && !isReplay())
          this.#predictor.onPrompt(performance.now());
        return false;
      }),
      term.onScroll(() => this.draw(this.#isDrawn)),
    ];
    if (isLate) this.#predictor.onMissedInput(readCursorRow(term), performance.now());
  }

  onSent(data: string): void {
    this.#predictor.onSent(data, readCursorRow(this.#term), performance.now());
    this.#scheduleTick();
  }

  onOutput(worstMs: number): void {
    this.#predictor.timeoutMs = Math.max(MIN_TIMEOUT_MS, worstMs * TIMEOUT_FACTOR);
    this.#predictor.onOutput(readCursorRow(this.#term), performance.now());
    this.#scheduleTick();
  }

  reset(): void {
    const isAnswered = this.#predictor.dueAt === undefined;
    this.#predictor.reset();
    if (!isAnswered) this.#predictor.onMissedInput(readCursorRow(this.#term), performance.now());
    this.draw(this.#isDrawn);
  }

  /** Draws the current prediction; clears it if not wanted. */
  draw(isWanted: boolean): void {
    this.#isDrawn = isWanted;
    this.#overlay.show(isWanted ? this.#predictor.guess : undefined);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.dispose();
    this.#overlay.dispose();
  }

  #scheduleTick(): void {
    clearTimeout(this.#timer);
    const { dueAt } = this.#predictor;
    if (dueAt === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#predictor.tick(performance.now());
        this.draw(this.#isDrawn);
        this.#scheduleTick();
      },
      Math.max(1, dueAt - performance.now()),
    );
  }
}

export class PredictionOverlay {
  readonly #term: Terminal;
  readonly #layer = document.createElement("div");

  constructor(term: Terminal) {
    this.#term = term;
    this.#layer.className = "predicted";
    this.#layer.setAttribute("aria-hidden", "true");
    this.#screen?.append(this.#layer);
  }

  show(guess: Guess | undefined): void {
    const layer = this.#layer;
    const screen = this.#screen;
    if (!guess || !screen) {
      if (layer.firstChild) layer.replaceChildren();
      return;
    }
    const { cols, rows, options, buffer } = this.#term;
    const row = guess.row - buffer.active.viewportY;
    if (row < 0 || row >= rows) return layer.replaceChildren();
    const [width, height] = [screen.clientWidth / cols, screen.clientHeight / rows];
    const { background, foreground, cursor, cursorAccent } = options.theme ?? {};
    layer.style.top = `${row * height}px`;
    layer.style.font = `${options.fontSize}px/${height}px ${options.fontFamily}`;
    layer.style.setProperty("--behind", background ?? "");
    layer.style.color = foreground ?? "";
    const spans = guess.cells.map(({ col, char }) => createCell(col, char, width, height));
    const block = createCell(guess.cursor, " ", width, height);
    block.className = "predicted-cursor";
    block.style.background = cursor ?? "";
    block.style.color = cursorAccent ?? "";
    layer.replaceChildren(...spans, block);
    return undefined;
  }

  dispose(): void {
    this.#layer.remove();
  }

  get #screen(): HTMLElement | null | undefined {
    return this.#term.element?.querySelector<HTMLElement>(".xterm-screen");
  }
}

function createCell(col: number, char: string, width: number, height: number): HTMLElement {
  const cell = document.createElement("span");
  cell.textContent = char;
  if (char !== " ") cell.className = "letter";
  cell.style.left = `${col * width}px`;
  cell.style.width = `${width}px`;
  cell.style.height = `${height}px`;
  return cell;
}
