// Owns the ends of what somebody subscribed to or opened: kept together, ended together, once.

export class Ends {
  readonly #ends: (() => void)[] = [];

  own(...ends: (() => void)[]): void {
    this.#ends.push(...ends);
  }

  /** Newest first: what came later may stand on what came before. */
  dispose(): void {
    const failures: unknown[] = [];
    for (const end of this.#ends.splice(0).toReversed()) {
      try {
        end();
      } catch (error) {
        failures.push(error);
      }
    }
    // None keeps the others from ending.
    if (failures.length > 0) throw new AggregateError(failures, "not everything ended");
  }
}
