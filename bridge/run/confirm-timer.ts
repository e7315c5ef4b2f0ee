// Owns when the bridge requests a confirmation of output that the room has not confirmed by itself.

/**
 * After this long without output and with bytes unconfirmed, the bridge requests a confirmation, so
 * that a sleeping room's position stays known.
 */
export const CONFIRM_AFTER_MS = 3_000;

export class ConfirmTimer {
  readonly #onQuiet: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** Takes `onQuiet`, called once no output was sent for a while. */
  constructor(onQuiet: () => void) {
    this.#onQuiet = onQuiet;
  }

  /** Starts over. Hot path (all output): usually refreshes a running timer. */
  restart(): void {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onQuiet();
    }, CONFIRM_AFTER_MS);
    this.#timer.unref();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
