// Owns a queue of what came to a test's client.

import { within } from "./waiting.ts";

/** A queue that can be waited on; what nobody waited for stays in it. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiting: { matches: (item: T) => boolean; resolve: (item: T) => void }[] = [];
  readonly #describe: (item: T) => string;

  constructor(describe: (item: T) => string) {
    this.#describe = describe;
  }

  get items(): readonly T[] {
    return this.#items;
  }

  put(item: T): void {
    const index = this.#waiting.findIndex(({ matches }) => matches(item));
    if (index < 0) this.#items.push(item);
    else this.#waiting.splice(index, 1)[0]?.resolve(item);
  }

  next(what: string, matches: (item: T) => boolean, milliseconds?: number): Promise<T> {
    const present = this.#items.find(matches);
    if (present !== undefined) {
      this.#items.splice(this.#items.indexOf(present), 1);
      return Promise.resolve(present);
    }
    const came = new Promise<T>((resolve) => this.#waiting.push({ matches, resolve }));
    const rest = () => this.#items.map(this.#describe).join(", ");
    return within(came, () => `${what} did not come; there is: [${rest()}]`, milliseconds);
  }
}
