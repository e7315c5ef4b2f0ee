// Owns the plain text of a terminal's bytes: without control sequences, as xterm's parser finds
// them, and without controls that neither print nor move the cursor. Pieces may end inside a
// sequence, never inside a character.

import { SequenceScanner } from "./scanner.ts";
import { next } from "./search.ts";

const ESC = 0x1b;
const C1_LEAD = 0xc2;
/** All controls except BS, HT, LF, VT, FF and CR, which move the cursor. */
const UNSEEN = /(?![\b\t\n\v\f\r])\p{Cc}/gu;

export class TextBetween {
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
    let at = this.#scanner.isGround ? 0 : this.#behind(bytes, 0);
    for (let from = at; at < length; from = at) {
      if (escape < at) escape = next(bytes, ESC, at);
      if (lead < at) lead = nextControl(bytes, at);
      const first = Math.min(escape, lead);
      text += bytes.toString("utf8", from, first);
      at = first < length ? this.#behind(bytes, first) : length;
    }
    return text.replaceAll(UNSEEN, "");
  }

  /** Returns the end of a sequence; skips a whole character that cancelled it. */
  #behind(bytes: Buffer, at: number): number {
    let behind = this.#scanner.pass(bytes, at);
    while (((bytes[behind] ?? 0) & 0xc0) === 0x80) behind += 1;
    return behind;
  }
}

/** Returns the next C1 control, which has two bytes; other characters share the first one. */
function nextControl(bytes: Buffer, from: number): number {
  for (let at = next(bytes, C1_LEAD, from); ; at = next(bytes, C1_LEAD, at + 2)) {
    const second = bytes[at + 1] ?? 0;
    if (at >= bytes.length || (second >= 0x80 && second <= 0x9f)) return Math.min(at, bytes.length);
  }
}
