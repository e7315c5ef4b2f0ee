// Owns the repetition of a key while a finger holds it.

/** Delay before the first repetition and between the next ones, as on keyboards. */
const FIRST_MS = 400;
const NEXT_MS = 60;

export class Repeating {
  readonly #press: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasRepeated = false;

  constructor(press: () => void) {
    this.#press = press;
  }

  down(): void {
    this.up();
    this.#hasRepeated = false;
    this.#timer = setTimeout(() => this.#again(), FIRST_MS);
  }

  up(): void {
    clearTimeout(this.#timer);
  }

  /** Handles the click after the finger lifts: presses the key unless it has repeated. */
  click(): void {
    if (!this.#hasRepeated) this.#press();
    this.#hasRepeated = false;
  }

  #again(): void {
    this.#hasRepeated = true;
    this.#press();
    this.#timer = setTimeout(() => this.#again(), NEXT_MS);
  }
}
