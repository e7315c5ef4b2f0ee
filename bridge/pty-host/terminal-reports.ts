// Owns when a new title is sent: the first immediately, then the latest after each pause. Pauses
// grow while the title keeps changing, so a counter or spinner costs a few messages a minute, each
// of which wakes a room. Has a timer only after a change. Also owns which title a terminal has: the
// one that the program in front set, else the one that its first program set, as a shell does with
// its prompt. And the rate of activity reports for one terminal: the first immediately, then at
// most four a second. Has a timer only while there is I/O.

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

// A title goes with the program that set it, whether or not that program takes it back.

/** Process groups whose titles are kept: programs that were stopped, shells within shells. */
const MAX_GROUPS = 16;
/** The prompt that follows a program's end is printed at once; a look costs a read of /proc. */
const LOOK_AFTER_MS = 300;

/** The group that reads the terminal, and that of its first process; undefined if unknown. */
export interface FrontGroup {
  readonly front: number;
  readonly first: number;
}

interface ProgramTitleDeps {
  readonly findFront: () => FrontGroup | undefined;
  /** Fires when the title changed, except by `set`. */
  readonly changed: (title: string) => void;
}

export class ProgramTitle {
  readonly #deps: ProgramTitleDeps;
  readonly #titles = new Map<number, string>();
  #seen = 0;
  #current = "";
  /** Set by another program than the first: it may end without a word. */
  #isTemporary = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ProgramTitleDeps) {
    this.#deps = deps;
  }

  get current(): string {
    return this.#current;
  }

  /**
   * Takes the title that the output set last, and how often it set one so far. Hot path (every chunk of
   * output): usually returns early.
   */
  set(title: string, count: number): void {
    if (count === this.#seen) return this.#lookSoon();
    this.#seen = count;
    const groups = this.#deps.findFront();
    const owner = groups?.front ?? 0;
    this.#titles.delete(owner);
    this.#titles.set(owner, title);
    for (const oldest of this.#titles.keys()) {
      if (this.#titles.size <= MAX_GROUPS) break;
      if (oldest !== groups?.first) this.#titles.delete(oldest);
    }
    this.#current = title;
    this.#isTemporary = groups !== undefined && owner !== groups.first;
    return undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #lookSoon(): void {
    if (!this.#isTemporary || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_AFTER_MS);
  }

  #look(): void {
    const groups = this.#deps.findFront();
    if (groups === undefined) return;
    const title = this.#titles.get(groups.front) ?? this.#titles.get(groups.first) ?? "";
    if (title === this.#current) return;
    this.#current = title;
    this.#deps.changed(title);
  }
}

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
