// Owns the error that every caller of the pool must expect. Any other error is a bug of ours.

/** The terminal, its screen or the pty host is not there, or said no, or took too long. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}

/** What is asked for, or `instead` where it is not available. Any other error stays one. */
export async function unlessUnavailable<T, U>(asked: Promise<T>, instead: () => U): Promise<T | U> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Unavailable) return instead();
    throw error;
  }
}
