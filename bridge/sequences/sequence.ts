// Owns what is told of a control sequence that was found. What it means is not decided here.

export interface Sequence {
  /** Absolute offsets: of its first byte, and behind its last. */
  readonly start: number;
  readonly end: number;
  readonly kind: "csi" | "esc" | "osc" | "dcs" | "shift";
  /** The private prefix of a CSI or DCS (`?`, `>`, `=`, `<`), or "". */
  readonly prefix: string;
  readonly intermediates: string;
  /** The last byte of a CSI or ESC, the byte behind a DCS's parameters, SO or SI. */
  readonly final: string;
  readonly params: readonly number[];
  /** Text of an OSC (with its number) or DCS; cut at `LONGEST_TEXT`. */
  readonly text: string;
  /** False if the text was longer, or the sequence was broken off. */
  readonly isWhole: boolean;
  /** A text that ended with BEL (or C1's ST), not with ESC \. */
  readonly isBell: boolean;
}

/** Titles and colours are shorter; what is longer carries data that nobody here reads. */
export const LONGEST_TEXT = 4096;

const MOST_PARAMS = 32;
const LARGEST_PARAM = 0x7fff_ffff;

/** As xterm counts them: an empty one is 0, sub-parameters are left out, 32 at most. */
export function parameters(text: string): number[] {
  const found = [0];
  let isSub = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3b) {
      if (found.length === MOST_PARAMS) break;
      found.push(0);
      isSub = false;
    } else if (code === 0x3a) isSub = true;
    else if (!isSub) {
      const last = found.length - 1;
      found[last] = Math.min(LARGEST_PARAM, (found[last] ?? 0) * 10 + code - 0x30);
    }
  }
  return found;
}
