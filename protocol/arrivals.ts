// Owns the join and leave notices of people, for the host's window and for pages. A page reload
// produces no notice, and a crowd is summed up in one line. The clock and the timer are injected.

export interface Arrival {
  /** Stays the same when a person reconnects. */
  readonly key: string;
  /** For example `Ada (view)`. */
  readonly name: string;
}

/** Time within which a reloaded page reconnects. */
const RELOAD_MS = 3_000;
/** Maximum notices per window; further ones are summed up. */
const LINES = 5;
const WINDOW_MS = 10_000;

export interface ArrivalsOptions {
  readonly say: (line: string) => void;
  readonly now?: () => number;
  readonly later: (action: () => void, milliseconds: number) => { cancel(): void };
}

interface Leaving extends Arrival {
  readonly timer: { cancel(): void };
}

export class Arrivals {
  readonly #say: (line: string) => void;
  readonly #now: () => number;
  readonly #later: (action: () => void, milliseconds: number) => { cancel(): void };
  #leaving: Leaving[] = [];
  #told: number[] = [];
  #untold = { joined: 0, left: 0 };
  #summing = false;

  constructor({ say, now = Date.now, later }: ArrivalsOptions) {
    this.#say = say;
    this.#now = now;
    this.#later = later;
  }

  joined(person: Arrival): void {
    if (!this.isBack(person.key)) this.#tell("joined", person);
  }

  /** Cancels the pending "left" notice of a person who is back; true if there was one. */
  isBack(wanted: string): boolean {
    const back = this.#leaving.find(({ key }) => key === wanted);
    if (back === undefined) return false;
    back.timer.cancel();
    this.#leaving = this.#leaving.filter((one) => one !== back);
    return true;
  }

  left(person: Arrival): void {
    const leaving: Leaving = {
      ...person,
      timer: this.#later(() => {
        this.#leaving = this.#leaving.filter((one) => one !== leaving);
        this.#tell("left", person);
      }, RELOAD_MS),
    };
    this.#leaving.push(leaving);
  }

  #tell(what: "joined" | "left", { name }: Arrival): void {
    const now = this.#now();
    this.#told = this.#told.filter((at) => now - at < WINDOW_MS);
    if (this.#told.length < LINES && !this.#summing) {
      this.#told.push(now);
      return this.#say(`${name} ${what}`);
    }
    this.#untold[what]++;
    if (this.#summing) return undefined;
    this.#summing = true;
    this.#later(() => this.#sum(), WINDOW_MS);
    return undefined;
  }

  #sum(): void {
    const { joined, left } = this.#untold;
    this.#untold = { joined: 0, left: 0 };
    this.#summing = false;
    this.#told = [];
    const parts = [joined > 0 ? `${joined} more joined` : "", left > 0 ? `${left} more left` : ""];
    this.#say(parts.filter(Boolean).join(", "));
  }
}
