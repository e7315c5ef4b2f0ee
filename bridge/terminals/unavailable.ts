// Owns the error that every caller of the pool must expect. Any other error is a bug.

/** The terminal, its screen or the pty host is missing, refused or timed out. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** Resolves to the result, or to `instead()` if it is unavailable. Rethrows any other error. */
export async function unlessUnavailable<T, U>(
  promise: Promise<T>,
  instead: () => U,
): Promise<T | U> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Unavailable) return instead();
    throw error;
  }
}
