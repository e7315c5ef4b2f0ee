// Owns the blinking of the cursor with xterm's DOM renderer. xterm's endless CSS animation makes the browser
// draw 60 frames a second, which costs battery and delays a typed letter by a frame. screen.css pauses that
// animation, and a timer here toggles the cursor instead.

import type { IDisposable, Terminal } from "@xterm/xterm";

/** Half of xterm's blink period of one second. */
const HALF_MS = 500;

type Host = Pick<
  HTMLElement,
  "addEventListener" | "removeEventListener" | "toggleAttribute" | "removeAttribute"
>;

export class CursorBlink implements IDisposable {
  readonly #host: Host;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host, term: Pick<Terminal, "onCursorMove">) {
    this.#host = host;
    host.addEventListener("focusin", this.#start);
    host.addEventListener("focusout", this.#stop);
    this.#listeners = [term.onCursorMove(() => this.#onCursorMove())];
  }

  dispose(): void {
    this.#stop();
    this.#host.removeEventListener("focusin", this.#start);
    this.#host.removeEventListener("focusout", this.#stop);
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Restarts with the cursor visible, so that it can be seen while it moves. */
  #onCursorMove(): void {
    if (this.#timer === undefined) return;
    this.#start();
  }

  #start = (): void => {
    this.#stop();
    this.#timer = setInterval(() => this.#host.toggleAttribute("data-cursor-off"), HALF_MS);
  };

  /** Stops blinking: without the focus xterm draws a static outline. */
  #stop = (): void => {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.removeAttribute("data-cursor-off");
  };
}
