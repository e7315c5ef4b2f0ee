// Owns finding control sequences in a terminal's bytes, however they are split: start, end and
// content of each. Follows xterm's parser state by state. Does not interpret sequences; skips plain
// text by searching.

import type { Sequence } from "./sequence.ts";
import {
  SequenceHead,
  MAX_TEXT_BYTES,
  parseParameters,
  findByte,
  toPlainSequence,
} from "./sequence.ts";
import {
  BEL,
  C1_LEAD,
  CAN,
  ESC,
  findIntroducedState,
  IGNORED_FINALS,
  SHIFT_IN,
  SHIFT_OUT,
  State,
  SUB,
} from "./scanner-states.ts";

export class SequenceScanner {
  readonly #onSequence: (sequence: Sequence) => void;
  #state: State = State.ground;
  #start = 0;
  /** Offset of the last ESC. */
  #escapeAt = 0;
  readonly #head = new SequenceHead();
  #final = "";
  #text: number[] = [];
  #isLong = false;
  #c1 = false;

  constructor(onSequence: (sequence: Sequence) => void) {
    this.#onSequence = onSequence;
  }

  /** Whether it is between sequences. A character may still be incomplete. */
  get isGround(): boolean {
    return this.#state === State.ground && !this.#c1;
  }

  /** Returns where the incomplete sequence began; meaningless between sequences. */
  get startedAt(): number {
    return this.#start;
  }

  /** Returns the text of an incomplete OSC so far, one character per byte. */
  get openOsc(): string | undefined {
    return this.#state === State.osc ? Buffer.from(this.#text).toString("latin1") : undefined;
  }

  /** Whether the last byte was an ESC, so that its sequence is still unknown. */
  get isEscape(): boolean {
    return this.#state === State.escape;
  }

  reset(): void {
    this.#state = State.ground;
    this.#c1 = false;
  }

  /** Scans the next bytes of the stream; `offset` is that of the first. */
  scan(chunk: Buffer, offset: number): void {
    const { length } = chunk;
    // Next positions of the relevant bytes; searched again once behind `at`.
    let escape = -1;
    let lead = -1;
    let out = -1;
    let back = -1;
    for (let at = 0; at < length;) {
      if (this.#state !== State.ground || this.#c1) {
        this.#step(chunk[at] ?? 0, offset + at);
        at += 1;
        continue;
      }
      if (escape < at) escape = findByte(chunk, ESC, at);
      if (lead < at) lead = findByte(chunk, C1_LEAD, at);
      if (out < at) out = findByte(chunk, SHIFT_OUT, at);
      if (back < at) back = findByte(chunk, SHIFT_IN, at);
      let first = escape < lead ? escape : lead;
      if (out < first) first = out;
      if (back < first) first = back;
      if (first >= length) return;
      at = first === escape ? this.#scanWholeCsi(chunk, first, offset) : -1;
      // A character of two bytes, not a control.
      if (first === lead && (chunk[first + 1] ?? 0) >= 0xa0) at = first + 2;
      if (at > 0) continue;
      this.#begin(chunk[first] ?? 0, offset + first);
      at = first + 1;
    }
  }

  /** Skips the sequence that begins or continues at `at`; returns where text starts again. */
  skip(chunk: Buffer, at: number): number {
    let behind = at;
    if (this.isGround) {
      const end = chunk[at] === ESC ? this.#scanWholeCsi(chunk, at, 0) : -1;
      if (end > 0) return end;
      this.#begin(chunk[at] ?? 0, at);
      behind += 1;
    }
    for (; behind < chunk.length && !this.isGround; behind++) {
      const byte = chunk[behind] ?? 0;
      const isInside = byte >= 0x20 && byte < 0x7f && !this.#c1;
      if (!isInside || !(this.#isText() || this.#state === State.other)) this.#step(byte, behind);
    }
    return behind;
  }

  /** Handles a CSI that is complete in this chunk; returns its end, else -1. */
  #scanWholeCsi(chunk: Buffer, start: number, offset: number): number {
    if (chunk[start + 1] !== 0x5b) return -1;
    let at = start + 2;
    let byte = chunk[at] ?? 0;
    const prefix = byte >= 0x3c && byte <= 0x3f ? byte : 0;
    if (prefix !== 0) byte = chunk[++at] ?? 0;
    const from = at;
    while (byte >= 0x30 && byte <= 0x3b) byte = chunk[++at] ?? 0;
    if (byte < 0x40 || byte > 0x7e) return -1;
    if (prefix === 0 && IGNORED_FINALS[byte] === 1) return at + 1;
    const params = parseParameters(chunk.toString("latin1", from, at));
    this.#onSequence(toPlainSequence("csi", offset + start, offset + at + 1, byte, prefix, params));
    return at + 1;
  }

  /** Handles a byte between sequences; most start none. */
  #begin(byte: number, at: number): void {
    if (byte === C1_LEAD) {
      this.#c1 = true;
      this.#start = at;
      return;
    }
    if (byte === ESC) {
      this.#enter(State.escape, at);
      this.#escapeAt = at;
      return;
    }
    this.#control(byte, at);
  }

  #enter(state: State, start: number): void {
    this.#start = start;
    this.#state = state;
    this.#head.clear();
    this.#final = "";
    this.#text = [];
    this.#isLong = false;
  }

  #step(byte: number, at: number): void {
    if (this.#c1) {
      this.#c1 = false;
      if (byte >= 0x80 && byte <= 0x9f) return this.#c1Control(byte, at);
      if (this.#state !== State.ground) this.#nonAscii(C1_LEAD);
      // Back in plain text: the byte after a stray lead may itself matter.
      if (byte >= 0x80 && byte <= 0xbf) return this.#isText() ? this.#addText(byte) : undefined;
    }
    if (this.#state === State.ground) return this.#begin(byte, at);
    if (byte === C1_LEAD) {
      this.#c1 = true;
      return undefined;
    }
    if (byte >= 0x80) return this.#nonAscii(byte);
    if (byte === ESC) {
      const isText = this.#state === State.osc || this.#state === State.dcs;
      if (isText) this.#endText(at, true, false);
      // The terminator ESC \ has the start of its text.
      this.#enter(State.escape, isText ? this.#start : at);
      this.#escapeAt = at;
      return undefined;
    }
    if (byte === CAN || byte === SUB) {
      if (this.#isText()) this.#endText(at + 1, false, false);
      this.#state = State.ground;
      return undefined;
    }
    return this.#inside(byte, at);
  }

  #isText(): boolean {
    return this.#state === State.osc || this.#state === State.dcs;
  }

  /** Handles a character beyond ASCII inside a sequence. */
  #nonAscii(byte: number): void {
    if (this.#isText()) return this.#addText(byte);
    const isRest = byte <= 0xbf;
    const stays = this.#state !== State.escape && this.#head.isIgnored;
    if (!isRest && !stays) this.#state = State.ground;
    return undefined;
  }

  #c1Control(byte: number, at: number): void {
    const start = this.#state === State.ground ? this.#start : at - 1;
    if (this.#isText()) {
      const isEnd = byte === 0x9c;
      // Any other control cancels the text, and starts its own sequence.
      this.#endText(isEnd ? at + 1 : at - 1, isEnd, true);
    }
    const next = findIntroducedState(byte - 0x40);
    if (next !== undefined) return this.#enter(next, start);
    this.#state = State.ground;
    return undefined;
  }

  #inside(byte: number, at: number): void {
    switch (this.#state) {
      case State.escape:
        return this.#escape(byte, at);
      case State.csi:
        return this.#csi(byte, at);
      case State.osc:
        if (byte === BEL) {
          this.#endText(at + 1, true, true);
          this.#state = State.ground;
        } else if (byte >= 0x20) this.#addText(byte);
        return undefined;
      case State.dcsHead:
        return this.#dcsHead(byte);
      case State.dcs:
        if (byte !== 0x7f) this.#addText(byte);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Emits SO or SI, which take effect immediately, even within a sequence. */
  #control(byte: number, at: number): void {
    if (byte !== SHIFT_OUT && byte !== SHIFT_IN) return;
    this.#onSequence(toPlainSequence("shift", at, at + 1, byte));
  }

  #escape(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return this.#control(byte, at);
    // Not ESC \: a new sequence, which cancelled the text.
    if (byte !== 0x5c) this.#start = this.#escapeAt;
    if (byte < 0x30) return this.#head.add(byte);
    if (this.#head.intermediates === "") {
      const next = findIntroducedState(byte);
      if (next !== undefined) {
        this.#state = next;
        return undefined;
      }
    }
    return this.#finish("esc", byte, at);
  }

  #csi(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return this.#control(byte, at);
    if (byte < 0x40) return this.#head.add(byte);
    return this.#finish("csi", byte, at);
  }

  #finish(kind: "csi" | "esc", byte: number, at: number): void {
    this.#state = State.ground;
    this.#final = String.fromCharCode(byte);
    if (!this.#head.isIgnored) this.#emit(kind, at + 1);
  }

  #dcsHead(byte: number): void {
    if (this.#head.isIgnored || byte < 0x20 || byte === 0x7f) return undefined;
    if (byte < 0x40) return this.#head.add(byte);
    this.#final = String.fromCharCode(byte);
    this.#state = State.dcs;
    return undefined;
  }

  #addText(byte: number): void {
    if (this.#text.length < MAX_TEXT_BYTES) this.#text.push(byte);
    else this.#isLong = true;
  }

  #endText(end: number, isWhole: boolean, isBell: boolean): void {
    const kind = this.#state === State.osc ? "osc" : "dcs";
    this.#emit(kind, end, isWhole && !this.#isLong, isBell);
  }

  #emit(kind: Sequence["kind"], end: number, isWhole = true, isBell = false): void {
    this.#onSequence({
      start: this.#start,
      end,
      kind,
      prefix: this.#head.prefix,
      intermediates: this.#head.intermediates,
      final: this.#final,
      params: kind === "csi" ? parseParameters(this.#head.params) : [],
      text: this.#text.length === 0 ? "" : Buffer.from(this.#text).toString("utf8"),
      isWhole,
      isBell,
    });
  }
}
