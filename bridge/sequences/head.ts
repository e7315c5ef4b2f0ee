// Owns what stands before a sequence's final byte: prefix, parameters, intermediates, in that order.
// CSI and DCS have the same head; an ESC sequence has intermediates alone.

import { LONGEST_TEXT } from "./sequence.ts";

export class Head {
  prefix = "";
  params = "";
  intermediates = "";
  /** Out of order or without end: whatever the final byte, the sequence says nothing. */
  isIgnored = false;

  clear(): void {
    this.prefix = "";
    this.params = "";
    this.intermediates = "";
    this.isIgnored = false;
  }

  /** One of 0x20 to 0x3f. */
  take(byte: number): void {
    if (this.isIgnored) return;
    if (byte < 0x30) this.intermediates += String.fromCharCode(byte);
    else if (this.intermediates !== "") this.isIgnored = true;
    else if (byte < 0x3c) this.params += String.fromCharCode(byte);
    else if (this.prefix === "" && this.params === "") this.prefix = String.fromCharCode(byte);
    else this.isIgnored = true;
    // No sequence that means anything is as long; it must not gather without end.
    if (this.params.length + this.intermediates.length > LONGEST_TEXT) this.isIgnored = true;
  }
}
