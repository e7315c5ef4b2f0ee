// Owns which numbers a session's sealed requests have used. Requests overtake each other on their
// way, so they need not come in order; each number counts once. Pure.

import { SealedFault } from "../../protocol/sealed/faults.ts";

/** Numbers that are remembered one by one: far more than a page has under way. */
const WINDOW = 1_024;

export class RequestNumbers {
  readonly #used = new Set<number>();
  #highest = -1;

  /** Throws if the number was used, or is too old to know. */
  accept(number: number): void {
    if (number <= this.#highest - WINDOW || this.#used.has(number))
      throw new SealedFault("out_of_order", `Request ${number} was used before or is too old`);
    this.#used.add(number);
    if (number <= this.#highest) return;
    this.#highest = number;
    for (const used of this.#used) if (used <= number - WINDOW) this.#used.delete(used);
  }
}
