// Owns whether a dial goes by the relay's socket on this machine, or by its port.

import { existsSync } from "node:fs";

/**
 * Dials in a row that wait for a socket which was there before: a relay that starts again listens on its
 * port a moment before. Behind these somebody has removed the file, and the port is the way.
 */
const MOST_MISSED = 5;

export class LinkSocket {
  readonly #path: string;
  #wasThere = false;
  #missed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Its path for the next dial; undefined for the port. */
  forDial(): string | undefined {
    if (existsSync(this.#path)) {
      this.#wasThere = true;
      this.#missed = 0;
      return this.#path;
    }
    if (!this.#wasThere || this.#missed >= MOST_MISSED) return undefined;
    this.#missed += 1;
    return this.#path;
  }
}
