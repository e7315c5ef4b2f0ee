// Owns what is said of people who come and go: one line each, calmly. A reload is no news, and a
// crowd is one line. For the host's window and for pages; the clock and the timer come in.

export interface Arrival {
  /** The same when somebody comes back. */
  readonly key: string;
  /** `Ada (view)`. */
  readonly name: string;
}

/** A page that is reloaded is back within this. */
const RELOAD_MS = 3_000;
/** This many lines within a window are news; more is noise. */
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

  /** It left a moment ago, of which nothing is said then; true once. */
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
