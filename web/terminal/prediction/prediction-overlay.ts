// Owns drawing a prediction, underlined, over an emulator's screen, which stays unchanged.

import type { Terminal } from "@xterm/xterm";
import "./prediction.css";
import type { Guess } from "./predictor.ts";

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
