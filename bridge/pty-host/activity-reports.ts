// Owns the rate of activity reports for one terminal: the first immediately, then at most four a
// second. Has a timer only while there is I/O.

const REPORT_EVERY_MS = 250;

export class ActivityReports {
  readonly #send: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isPending = false;

  constructor(send: () => void) {
    this.#send = send;
  }

  touch(): void {
    if (this.#timer !== undefined) {
      this.#isPending = true;
      return;
    }
    this.#report();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #report(): void {
    this.#isPending = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isPending) this.#report();
    }, REPORT_EVERY_MS);
    this.#send();
  }
}
