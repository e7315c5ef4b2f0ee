// Owns the choice between the local relay's Unix socket and its port for a dial.

import { existsSync } from "node:fs";

/**
 * Failed dials in a row before falling back to the port. A restarting relay opens its port a moment
 * before its socket; after this many the socket file must have been removed.
 */
const MOST_MISSED = 5;

export class LinkSocket {
  readonly #path: string;
  #wasThere = false;
  #missed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the socket's path for the next dial; undefined to use the port. */
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
