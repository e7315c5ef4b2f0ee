// Owns loading touch and phone keyboard input for one terminal, only on devices with a touch screen.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import type { TerminalInput } from "../terminal-input.ts";
import type { SoftKeyboard, TouchInput, TouchOverlay } from "./touch-overlay.tsx";
import type { TouchInputDeps } from "./touch-input.ts";

export interface TouchLoaderDeps extends TouchInputDeps {
  typing: Pick<TerminalInput, "input" | "modifiers">;
  onFault: () => void;
}

export class TouchLoader {
  /** Touch input and the overlay that draws its selection; undefined until loaded. */
  readonly loaded = signal<{ input: TouchInput; Overlay: typeof TouchOverlay } | undefined>(
    undefined,
  );
  #keyboard: SoftKeyboard | undefined;
  #isDisposed = false;

  constructor(host: HTMLElement, term: Terminal, deps: TouchLoaderDeps) {
    if (navigator.maxTouchPoints > 0) void this.#load(host, term, deps);
  }

  /** Opens the manual paste field; returns false if touch input is not loaded. */
  openPasteField(): boolean {
    const loaded = this.loaded.peek();
    if (loaded) loaded.input.isPasting.value = true;
    return loaded !== undefined;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.loaded.peek()?.input.dispose();
    this.#keyboard?.dispose();
  }

  async #load(host: HTMLElement, term: Terminal, deps: TouchLoaderDeps): Promise<void> {
    const { typing, onFault } = deps;
    try {
      const {
        SoftKeyboard,
        TouchInput,
        TouchOverlay: Overlay,
      } = await import("./touch-overlay.tsx");
      if (this.#isDisposed) return;
      // Hardware keyboards send real key events, which xterm handles.
      if (matchMedia("(pointer: coarse)").matches)
        this.#keyboard = new SoftKeyboard(host, term, {
          input: (data) => typing.input(data),
          isHeld: () => Object.values(typing.modifiers).some((one) => one.peek() !== "no"),
        });
      this.loaded.value = { input: new TouchInput(host, term, deps), Overlay };
    } catch {
      onFault();
    }
  }
}
