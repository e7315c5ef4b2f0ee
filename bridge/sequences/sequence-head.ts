// Owns the part before a sequence's final byte: prefix, parameters, intermediates, in this order.
// CSI and DCS share it; an ESC sequence has only intermediates.

import { MAX_TEXT_BYTES } from "./sequence.ts";

export class SequenceHead {
  prefix = "";
  params = "";
  intermediates = "";
  /** Out of order or too long: the sequence has no effect, whatever its final byte. */
  isIgnored = false;

  clear(): void {
    this.prefix = "";
    this.params = "";
    this.intermediates = "";
    this.isIgnored = false;
  }

  /** Adds a byte from 0x20 to 0x3f. */
  add(byte: number): void {
    if (this.isIgnored) return;
    if (byte < 0x30) this.intermediates += String.fromCharCode(byte);
    else if (this.intermediates !== "") this.isIgnored = true;
    else if (byte < 0x3c) this.params += String.fromCharCode(byte);
    else if (this.prefix === "" && this.params === "") this.prefix = String.fromCharCode(byte);
    else this.isIgnored = true;
    // No meaningful sequence is this long, and memory must be bounded.
    if (this.params.length + this.intermediates.length > MAX_TEXT_BYTES) this.isIgnored = true;
  }
}
