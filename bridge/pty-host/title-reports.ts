// Owns when a new title is sent: the first immediately, then the latest after each pause. Pauses
// grow while the title keeps changing, so a counter or spinner costs a few messages a minute, each
// of which wakes a room. Has a timer only after a change.

const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 4_000;

export class TitleReports {
  /** Sends the title; returns whether it was sent. */
  readonly #send: (title: string) => boolean;
  #title = "";
  #sent = "";
  #pauseMs = MIN_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (title: string) => boolean) {
    this.#send = send;
  }

  update(title: string): void {
    this.#title = title;
    if (this.#timer === undefined && title !== this.#sent) this.#report();
  }

  /** Stops, and sends the last title. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#title !== this.#sent) this.#send(this.#title);
    this.#sent = this.#title;
  }

  #report(): void {
    if (this.#send(this.#title)) this.#sent = this.#title;
    this.#timer = setTimeout(() => this.#onPauseEnd(), this.#pauseMs);
  }

  #onPauseEnd(): void {
    this.#timer = undefined;
    const isNew = this.#title !== this.#sent;
    this.#pauseMs = isNew ? Math.min(this.#pauseMs * 2, MAX_PAUSE_MS) : MIN_PAUSE_MS;
    if (isNew) this.#report();
  }
}
