// Owns cutting what comes on a socket into lines, however it is split on its way. A line that is
// longer than it may be is told as such, before all of it is in memory.

const NEWLINE = 0x0a;

export class Lines {
  readonly #most: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `most` bytes of a line without its end. */
  constructor(most: number) {
    this.#most = most;
  }

  /** The lines that this piece completes; undefined when one is too long. */
  push(chunk: Buffer): string[] | undefined {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      lines.push(Buffer.concat([...this.#pieces, chunk.subarray(from, end)]).toString("utf8"));
      this.#pieces = [];
      this.#length = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#pieces.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    return this.#length > this.#most ? undefined : lines;
  }
}
