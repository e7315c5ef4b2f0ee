// Owns the plain text of a terminal's bytes: without control sequences, as xterm's parser finds
// them, and without controls that neither print nor move the cursor. Pieces may end inside a
// sequence, never inside a character.

import { SequenceScanner } from "./sequence-scanner.ts";
import { findByte } from "./sequence.ts";

const ESC = 0x1b;
const C1_LEAD = 0xc2;
/** All controls except BS, HT, LF, VT, FF and CR, which move the cursor. */
const INVISIBLE = /(?![\b\t\n\v\f\r])\p{Cc}/gu;

export class PlainTextDecoder {
  readonly #scanner = new SequenceScanner(() => {});

  /** Resets after missing bytes: the next ones are read as text. */
  reset(): void {
    this.#scanner.reset();
  }

  /** Continues after the bytes before `from`; only those since the last ESC matter. */
  startAt(bytes: Buffer, from: number): void {
    this.reset();
    if (from <= 0) return;
    const escape = bytes.lastIndexOf(ESC, from - 1);
    this.take(bytes.subarray(Math.max(escape, 0), from));
  }

  take(bytes: Buffer): string {
    const { length } = bytes;
    let text = "";
    let escape = -1;
    let lead = -1;
    let at = this.#scanner.isGround ? 0 : this.#skipSequence(bytes, 0);
    for (let from = at; at < length; from = at) {
      if (escape < at) escape = findByte(bytes, ESC, at);
      if (lead < at) lead = findC1Control(bytes, at);
      const first = Math.min(escape, lead);
      text += bytes.toString("utf8", from, first);
      at = first < length ? this.#skipSequence(bytes, first) : length;
    }
    return text.replaceAll(INVISIBLE, "");
  }

  /** Returns the end of a sequence; skips a whole character that cancelled it. */
  #skipSequence(bytes: Buffer, at: number): number {
    let end = this.#scanner.skip(bytes, at);
    while (((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
    return end;
  }
}

/** Returns the next C1 control, which has two bytes; other characters share the first one. */
function findC1Control(bytes: Buffer, from: number): number {
  for (let at = findByte(bytes, C1_LEAD, from); ; at = findByte(bytes, C1_LEAD, at + 2)) {
    const second = bytes[at + 1] ?? 0;
    if (at >= bytes.length || (second >= 0x80 && second <= 0x9f)) return Math.min(at, bytes.length);
  }
}
