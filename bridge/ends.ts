// Owns the ends of what somebody subscribed to or opened: kept together, ended together, once.

export class Ends {
  readonly #ends: (() => void)[] = [];

  own(...ends: (() => void)[]): void {
    this.#ends.push(...ends);
  }

  /** Newest first: what came later may stand on what came before. */
  dispose(): void {
    for (const end of this.#ends.splice(0).toReversed()) end();
  }
}
