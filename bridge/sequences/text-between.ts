// Owns the text between control sequences: what is left of a terminal's bytes when every sequence
// is taken out, as xterm's parser finds them, and every control that neither prints nor moves the
// cursor. Pieces may end inside a sequence, never inside a character.

import { SequenceScanner } from "./scanner.ts";
import { next } from "./search.ts";

const ESC = 0x1b;
const C1_LEAD = 0xc2;
/** Controls but BS, HT, LF, VT, FF and CR, which move the cursor: a bell is heard, not read. */
const UNSEEN = /(?![\b\t\n\v\f\r])\p{Cc}/gu;

export class TextBetween {
  readonly #scanner = new SequenceScanner(() => {});

  /** Bytes were left out: what comes next is taken as text. */
  reset(): void {
    this.#scanner.reset();
  }

  /**
   * Text from `from` on goes on as it does behind the bytes before it. Whatever stands before the
   * last ESC does not matter: in every state it begins a sequence.
   */
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

  /** A character that broke a sequence off is not printed, none of its bytes. */
  #behind(bytes: Buffer, at: number): number {
    let behind = this.#scanner.pass(bytes, at);
    while (((bytes[behind] ?? 0) & 0xc0) === 0x80) behind += 1;
    return behind;
  }
}

/** The next C1 control, which has two bytes; other characters begin with the same one. */
function nextControl(bytes: Buffer, from: number): number {
  for (let at = next(bytes, C1_LEAD, from); ; at = next(bytes, C1_LEAD, at + 2)) {
    const second = bytes[at + 1] ?? 0;
    if (at >= bytes.length || (second >= 0x80 && second <= 0x9f)) return Math.min(at, bytes.length);
  }
}
