// Splits a socket's data into lines. Rejects a line over the limit before all of it is in memory.

const NEWLINE = 0x0a;

export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `maxBytes` is the maximum length of a line in bytes, without its end. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that this chunk completes; undefined if a line is too long. */
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
    return this.#length > this.#maxBytes ? undefined : lines;
  }
}
