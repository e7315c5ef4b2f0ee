// Owns when a new title is told: the first at once, then the last of each pause. The pauses grow
// while it goes on changing: a title that counts or spins costs a few messages a minute, and each
// wakes a room. Has a timer only behind a change.

const LEAST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 4_000;

export class TitleNews {
  /** Whether it could be told. */
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

  /** Nothing more comes. */
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
