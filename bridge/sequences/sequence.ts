// Owns the description of a control sequence. Does not interpret it. Also owns the part before a
// sequence's final byte: prefix, parameters, intermediates, in this order. CSI and DCS share it; an
// ESC sequence has only intermediates. And skipping plain text: finds the next occurrence of a byte
// in a chunk.

export interface Sequence {
  /** Absolute offsets of its first byte and after its last. */
  readonly start: number;
  readonly end: number;
  readonly kind: "csi" | "esc" | "osc" | "dcs" | "shift";
  /** The private prefix of a CSI or DCS (`?`, `>`, `=`, `<`), or "". */
  readonly prefix: string;
  readonly intermediates: string;
  /** The last byte of a CSI or ESC, the byte after a DCS's parameters, SO or SI. */
  readonly final: string;
  readonly params: readonly number[];
  /** Text of an OSC (with its number) or DCS; cut at `MAX_TEXT_BYTES`. */
  readonly text: string;
  /** False if the text was longer, or the sequence was cancelled. */
  readonly isWhole: boolean;
  /** Whether the text ended with BEL (or C1's ST) instead of ESC \. */
  readonly isBell: boolean;
}

/** Returns a complete sequence without intermediates and text. `prefix` is 0 for none. */
export function toPlainSequence(
  kind: "csi" | "shift",
  start: number,
  end: number,
  final: number,
  prefix = 0,
  params: readonly number[] = [],
): Sequence {
  return {
    start,
    end,
    kind,
    prefix: prefix === 0 ? "" : String.fromCharCode(prefix),
    intermediates: "",
    final: String.fromCharCode(final),
    params,
    text: "",
    isWhole: true,
    isBell: false,
  };
}

/** Titles and colours are shorter; longer texts carry data that pairpty does not read. */
export const MAX_TEXT_BYTES = 4096;

const MAX_PARAMS = 32;
const MAX_PARAM = 0x7fff_ffff;

/** Parses parameters as xterm does: empty ones are 0, sub-parameters are skipped, at most 32. */
export function parseParameters(text: string): number[] {
  const found = [0];
  let isSub = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3b) {
      if (found.length === MAX_PARAMS) break;
      found.push(0);
      isSub = false;
    } else if (code === 0x3a) isSub = true;
    else if (!isSub) {
      const last = found.length - 1;
      found[last] = Math.min(MAX_PARAM, (found[last] ?? 0) * 10 + code - 0x30);
    }
  }
  return found;
}

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

/** Sequences are often close together, and a native call costs more than checking a few bytes. */
const INLINE_BYTES = 24;

/** Returns the index of the byte, or the chunk's length. */
export function findByte(chunk: Buffer, byte: number, from: number): number {
  const near = Math.min(chunk.length, from + INLINE_BYTES);
  for (let at = from; at < near; at++) if (chunk[at] === byte) return at;
  if (near === chunk.length) return near;
  const at = chunk.indexOf(byte, near);
  return at < 0 ? chunk.length : at;
}
