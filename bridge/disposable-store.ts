// Owns disposing of subscriptions and resources together, once.

export class DisposableStore {
  readonly #disposables: (() => void)[] = [];

  add(...disposables: (() => void)[]): void {
    this.#disposables.push(...disposables);
  }

  /** Disposes in reverse order of creation: newer resources may depend on older ones. */
  dispose(): void {
    const failures: unknown[] = [];
    for (const disposable of this.#disposables.splice(0).toReversed()) {
      try {
        disposable();
      } catch (error) {
        failures.push(error);
      }
    }
    // Thrown only after all were disposed: one failure must not stop the others.
    if (failures.length > 0)
      throw new AggregateError(failures, "some resources could not be disposed");
  }
}
