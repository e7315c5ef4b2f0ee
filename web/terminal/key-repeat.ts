// Owns the repetition of a key while a finger holds it.

/** Delay before the first repetition and between the next ones, as on keyboards. */
const REPEAT_DELAY_MS = 400;
const REPEAT_INTERVAL_MS = 60;

export class KeyRepeat {
  readonly #press: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasRepeated = false;

  constructor(press: () => void) {
    this.#press = press;
  }

  onDown(): void {
    this.onUp();
    this.#hasRepeated = false;
    this.#timer = setTimeout(() => this.#repeat(), REPEAT_DELAY_MS);
  }

  onUp(): void {
    clearTimeout(this.#timer);
  }

  /** Handles the click after the finger lifts: presses the key unless it has repeated. */
  click(): void {
    if (!this.#hasRepeated) this.#press();
    this.#hasRepeated = false;
  }

  #repeat(): void {
    this.#hasRepeated = true;
    this.#press();
    this.#timer = setTimeout(() => this.#repeat(), REPEAT_INTERVAL_MS);
  }
}
