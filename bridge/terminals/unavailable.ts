// Owns the error that every caller of the pool must expect. Any other error is a bug of ours.

/** The terminal, its screen or the pty host is not there, or said no, or took too long. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}
