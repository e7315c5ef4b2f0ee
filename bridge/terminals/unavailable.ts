// Owns the error that whoever asks for a terminal has to expect. Any other is a fault of ours.

/** The terminal, its screen or the pty host is not there, or said no, or took too long. */
export class Unavailable extends Error {
  override readonly name = "Unavailable";
}
