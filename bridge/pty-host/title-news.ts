// Owns when a new title is sent: the first immediately, then the latest after each pause. Pauses
// grow while the title keeps changing, so a counter or spinner costs a few messages a minute, each
// of which wakes a room. Has a timer only after a change.

const LEAST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 4_000;

export class TitleNews {
  /** Sends the title; returns whether it was sent. */
  readonly #send: (title: string) => boolean;
  #title = "";
  #told = "";
  #pauseMs = LEAST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (title: string) => boolean) {
    this.#send = send;
  }

  is(title: string): void {
    this.#title = title;
    if (this.#timer === undefined && title !== this.#told) this.#tell();
  }

  /** Stops, and sends the last title. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#title !== this.#told) this.#send(this.#title);
    this.#told = this.#title;
  }

  #tell(): void {
    if (this.#send(this.#title)) this.#told = this.#title;
    this.#timer = setTimeout(() => this.#paused(), this.#pauseMs);
  }

  #paused(): void {
    this.#timer = undefined;
    const isNew = this.#title !== this.#told;
    this.#pauseMs = isNew ? Math.min(this.#pauseMs * 2, MOST_PAUSE_MS) : LEAST_PAUSE_MS;
    if (isNew) this.#tell();
  }
}
