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
const MAX_NOTICES = 5;
const WINDOW_MS = 10_000;

export interface ArrivalNoticesOptions {
  readonly print: (line: string) => void;
  readonly now?: () => number;
  readonly setTimer: (action: () => void, milliseconds: number) => { cancel(): void };
}

interface Leaving extends Arrival {
  readonly timer: { cancel(): void };
}

export class ArrivalNotices {
  readonly #print: (line: string) => void;
  readonly #now: () => number;
  readonly #setTimer: (action: () => void, milliseconds: number) => { cancel(): void };
  #leaving: Leaving[] = [];
  #shownAt: number[] = [];
  #summary = { joined: 0, left: 0 };
  #isSummaryPending = false;

  constructor({ print, now = Date.now, setTimer }: ArrivalNoticesOptions) {
    this.#print = print;
    this.#now = now;
    this.#setTimer = setTimer;
  }

  onJoined(person: Arrival): void {
    if (!this.isBack(person.key)) this.#announce("joined", person);
  }

  /** Cancels the pending "left" notice of a person who is back; true if there was one. */
  isBack(wanted: string): boolean {
    const back = this.#leaving.find(({ key }) => key === wanted);
    if (back === undefined) return false;
    back.timer.cancel();
    this.#leaving = this.#leaving.filter((one) => one !== back);
    return true;
  }

  onLeft(person: Arrival): void {
    const leaving: Leaving = {
      ...person,
      timer: this.#setTimer(() => {
        this.#leaving = this.#leaving.filter((one) => one !== leaving);
        this.#announce("left", person);
      }, RELOAD_MS),
    };
    this.#leaving.push(leaving);
  }

  #announce(what: "joined" | "left", { name }: Arrival): void {
    const now = this.#now();
    this.#shownAt = this.#shownAt.filter((at) => now - at < WINDOW_MS);
    if (this.#shownAt.length < MAX_NOTICES && !this.#isSummaryPending) {
      this.#shownAt.push(now);
      return this.#print(`${name} ${what}`);
    }
    this.#summary[what]++;
    if (this.#isSummaryPending) return undefined;
    this.#isSummaryPending = true;
    this.#setTimer(() => this.#announceSummary(), WINDOW_MS);
    return undefined;
  }

  #announceSummary(): void {
    const { joined, left } = this.#summary;
    this.#summary = { joined: 0, left: 0 };
    this.#isSummaryPending = false;
    this.#shownAt = [];
    const parts = [joined > 0 ? `${joined} more joined` : "", left > 0 ? `${left} more left` : ""];
    this.#print(parts.filter(Boolean).join(", "));
  }
}
