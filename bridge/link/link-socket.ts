// Owns the choice between the local relay's Unix socket and its port for a dial.

import { existsSync } from "node:fs";

/**
 * Failed dials in a row before falling back to the port. A restarting relay opens its port a moment
 * before its socket; after this many the socket file must have been removed.
 */
const MAX_MISSED_DIALS = 5;

export class LinkSocket {
  readonly #path: string;
  #existed = false;
  #missed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the socket's path for the next dial; undefined to use the port. */
  getDialPath(): string | undefined {
    if (existsSync(this.#path)) {
      this.#existed = true;
      this.#missed = 0;
      return this.#path;
    }
    if (!this.#existed || this.#missed >= MAX_MISSED_DIALS) return undefined;
    this.#missed += 1;
    return this.#path;
  }
}
