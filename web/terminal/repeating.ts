// Owns a key that is pressed again and again while a finger stays on it.

/** As keyboards have it: a pause, then quickly. */
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

  /** Comes behind the finger, also where it stayed long. */
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
