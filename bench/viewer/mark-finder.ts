// Owns finding a mark in output that comes in pieces. Pure.

export class MarkFinder {
  readonly #mark: string;
  #tail = "";

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** True with the piece that completes the mark. */
  finds(piece: string | Buffer): boolean {
    const reach = this.#mark.length - 1;
    const head = this.#tail + text(piece.slice(0, reach));
    if (head.includes(this.#mark) || piece.includes(this.#mark)) return true;
    this.#tail = (piece.length < reach ? head : text(piece.slice(-reach))).slice(-reach);
    return false;
  }
}

/** Marks are ASCII. */
function text(piece: string | Buffer): string {
  return typeof piece === "string" ? piece : piece.toString("latin1");
}
