// Owns the blinking of a cursor that is drawn by elements. xterm does it with an endless animation, for
// which a browser makes a frame 60 times a second: a battery pays for that, and a letter waits for the
// frame behind the one under way. Here that animation stands still (screen.css), and a timer moves it
// from one half to the other.

import type { IDisposable, Terminal } from "@xterm/xterm";

/** Half of xterm's own second. */
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

  /** A cursor that moves is seen. */
  #moved(): void {
    if (this.#timer === undefined) return;
    this.#begin();
  }

  #begin = (): void => {
    this.#rest();
    this.#timer = setInterval(() => this.#host.toggleAttribute("data-cursor-off"), HALF_MS);
  };

  /** Where nobody types, xterm draws an outline, which does not blink. */
  #rest = (): void => {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#host.removeAttribute("data-cursor-off");
  };
}
