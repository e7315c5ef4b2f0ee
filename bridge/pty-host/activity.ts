// Owns the rate of activity reports for one terminal: the first immediately, then at most four a
// second. Has a timer only while there is I/O.

const MARK_EVERY_MS = 250;

export class ActivityMarks {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;
  #again = false;

  constructor(send: () => void) {
    this.#send = send;
  }

  touch(): void {
    if (this.#timer !== undefined) {
      this.#again = true;
      return;
    }
    this.#mark();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #mark(): void {
    this.#again = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#again) this.#mark();
    }, MARK_EVERY_MS);
    this.#send();
  }
}
