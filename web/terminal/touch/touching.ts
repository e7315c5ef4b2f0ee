// Owns loading touch and phone keyboard input for one terminal, only on devices with a touch screen.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { Typing } from "../typing.ts";
import type { SoftKeyboard, TouchInput, TouchOverlay } from "./overlay.tsx";
import type { TouchRules } from "./touch.ts";

export interface TouchingRules extends TouchRules {
  typing: Pick<Typing, "input" | "held">;
  onFault: () => void;
}

export class Touching {
  /** Touch input and the overlay that draws its selection; undefined until loaded. */
  readonly parts = signal<{ input: TouchInput; Overlay: typeof TouchOverlay } | undefined>(
    undefined,
  );
  #keyboard: SoftKeyboard | undefined;
  #isDisposed = false;

  constructor(host: HTMLElement, term: Terminal, rules: TouchingRules) {
    if (navigator.maxTouchPoints > 0) void this.#load(host, term, rules);
  }

  /** Opens the manual paste field; returns false if touch input is not loaded. */
  askForPaste(): boolean {
    const parts = this.parts.peek();
    if (parts) parts.input.isPasting.value = true;
    return parts !== undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.parts.peek()?.input.dispose();
    this.#keyboard?.dispose();
  }

  async #load(host: HTMLElement, term: Terminal, rules: TouchingRules): Promise<void> {
    const { typing, onFault } = rules;
    try {
      const { SoftKeyboard, TouchInput, TouchOverlay: Overlay } = await import("./overlay.tsx");
      if (this.#isDisposed) return;
      // Hardware keyboards send real key events, which xterm handles.
      if (matchMedia("(pointer: coarse)").matches)
        this.#keyboard = new SoftKeyboard(host, term, {
          input: (data) => typing.input(data),
          isHeld: () => Object.values(typing.held).some((one) => one.peek() !== "no"),
        });
      this.parts.value = { input: new TouchInput(host, term, rules), Overlay };
    } catch {
      onFault();
    }
  }
}
