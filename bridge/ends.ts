// Owns disposing of subscriptions and resources together, once.

export class Ends {
  readonly #ends: (() => void)[] = [];

  own(...ends: (() => void)[]): void {
    this.#ends.push(...ends);
  }

  /** Disposes in reverse order of creation: newer resources may depend on older ones. */
  dispose(): void {
    const failures: unknown[] = [];
    for (const end of this.#ends.splice(0).toReversed()) {
      try {
        end();
      } catch (error) {
        failures.push(error);
      }
    }
    // Thrown only after all were disposed: one failure must not stop the others.
    if (failures.length > 0)
      throw new AggregateError(failures, "some resources could not be disposed");
  }
}
