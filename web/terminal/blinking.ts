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

export class Blinking implements IDisposable {
  readonly #host: Host;
  readonly #listeners: readonly IDisposable[];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(host: Host, term: Pick<Terminal, "onCursorMove">) {
    this.#host = host;
    host.addEventListener("focusin", this.#begin);
    host.addEventListener("focusout", this.#rest);
    this.#listeners = [term.onCursorMove(() => this.#moved())];
  }

  dispose(): void {
    this.#rest();
    this.#host.removeEventListener("focusin", this.#begin);
    this.#host.removeEventListener("focusout", this.#rest);
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Restarts with the cursor visible, so that it can be seen while it moves. */
  #moved(): void {
    if (this.#timer === undefined) return;
    this.#begin();
  }

  #begin = (): void => {
    this.#rest();
    this.#timer = setInterval(() => this.#host.toggleAttribute("data-cursor-off"), HALF_MS);
  };

  /** Stops blinking: without the focus xterm draws a static outline. */
  #rest = (): void => {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.removeAttribute("data-cursor-off");
  };
}
