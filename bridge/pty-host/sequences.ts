// Owns finding control sequences in a terminal's bytes, however they are split: where each begins
// and ends, and what it says. Follows xterm's parser state by state. What a sequence means is not
// decided here, and plain text is passed over by searching, not by looking at it.

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

const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;
const BEL = 0x07;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
/** The first byte of U+0080 to U+00BF: xterm takes the lower half as C1 controls. */
const C1_LEAD = 0xc2;

const State = {
  ground: 0,
  escape: 1,
  escapeIntermediate: 2,
  csiEntry: 3,
  csiParam: 4,
  csiIntermediate: 5,
  csiIgnore: 6,
  osc: 7,
  /** SOS, PM, APC: read over. */
  other: 8,
  dcsEntry: 9,
  dcsParam: 10,
  dcsIntermediate: 11,
  dcsIgnore: 12,
  dcs: 13,
} as const;
type State = (typeof State)[keyof typeof State];

export class SequenceScanner {
  readonly #found: (sequence: Sequence) => void;
  #state: State = State.ground;
  #start = 0;
  #prefix = "";
  #params = "";
  #intermediates = "";
  #final = "";
  #text: number[] = [];
  #isLong = false;
  #c1 = false;

  constructor(found: (sequence: Sequence) => void) {
    this.#found = found;
  }

  /** Between sequences. Characters may still be unfinished. */
  get isGround(): boolean {
    return this.#state === State.ground && !this.#c1;
  }

  /** Where the unfinished sequence began; meaningless between sequences. */
  get startedAt(): number {
    return this.#start;
  }

  reset(): void {
    this.#state = State.ground;
    this.#c1 = false;
  }

  /** The next bytes of the stream; `offset` is that of the first of them. */
  scan(chunk: Buffer, offset: number): void {
    const { length } = chunk;
    // Where each of the bytes that matter comes next; behind `at` it has to be looked for again.
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
      if (escape < at) escape = next(chunk, ESC, at);
      if (lead < at) lead = next(chunk, C1_LEAD, at);
      if (out < at) out = next(chunk, SHIFT_OUT, at);
      if (back < at) back = next(chunk, SHIFT_IN, at);
      let first = escape < lead ? escape : lead;
      if (out < first) first = out;
      if (back < first) first = back;
      if (first >= length) return;
      at = first === escape ? this.#whole(chunk, first, offset) : -1;
      // A character of two bytes, not a control.
      if (first === lead && (chunk[first + 1] ?? 0) >= 0xa0) at = first + 2;
      if (at > 0) continue;
      this.#begin(chunk[first] ?? 0, offset + first);
      at = first + 1;
    }
  }

  /** A CSI that is whole in this chunk is taken at once. Behind it, or -1 if it is not as usual. */
  #whole(chunk: Buffer, start: number, offset: number): number {
    if (chunk[start + 1] !== 0x5b) return -1;
    let at = start + 2;
    let byte = chunk[at] ?? 0;
    const prefix = byte >= 0x3c && byte <= 0x3f ? byte : 0;
    if (prefix !== 0) byte = chunk[++at] ?? 0;
    const from = at;
    while (byte >= 0x30 && byte <= 0x3b) byte = chunk[++at] ?? 0;
    if (byte < 0x40 || byte > 0x7e) return -1;
    if (prefix === 0 && UNHEARD[byte] === 1) return at + 1;
    this.#found({
      start: offset + start,
      end: offset + at + 1,
      kind: "csi",
      prefix: prefix === 0 ? "" : String.fromCharCode(prefix),
      intermediates: "",
      final: String.fromCharCode(byte),
      params: numbers(chunk.toString("latin1", from, at)),
      text: "",
      isWhole: true,
      isBell: false,
    });
    return at + 1;
  }

  #begin(byte: number, at: number): void {
    if (byte === C1_LEAD) {
      this.#c1 = true;
      this.#start = at;
      return;
    }
    if (byte === ESC) {
      this.#enter(State.escape, at);
      return;
    }
    this.#shift(byte, at);
  }

  /** Done at once wherever it stands, also within a sequence. */
  #shift(byte: number, at: number): void {
    const final = String.fromCharCode(byte);
    const rest = {
      prefix: "",
      intermediates: "",
      params: [],
      text: "",
      isWhole: true,
      isBell: false,
    };
    this.#found({ start: at, end: at + 1, kind: "shift", final, ...rest });
  }

  #enter(state: State, start: number): void {
    this.#start = start;
    this.#state = state;
    this.#clear();
  }

  #clear(): void {
    this.#prefix = "";
    this.#params = "";
    this.#intermediates = "";
    this.#final = "";
    this.#text = [];
    this.#isLong = false;
  }

  #step(byte: number, at: number): void {
    if (this.#c1) {
      this.#c1 = false;
      if (byte >= 0x80 && byte <= 0x9f) return this.#control1(byte, at);
      if (this.#state !== State.ground) this.#beyond(C1_LEAD);
      // Back in plain text: the byte behind a stray lead may itself matter.
      if (byte >= 0x80 && byte <= 0xbf) return this.#isText() ? this.#put(byte) : undefined;
    }
    if (this.#state === State.ground) {
      if (byte === ESC || byte === C1_LEAD || byte === SHIFT_OUT || byte === SHIFT_IN) {
        this.#begin(byte, at);
      }
      return undefined;
    }
    if (byte === C1_LEAD) {
      this.#c1 = true;
      return undefined;
    }
    if (byte >= 0x80) return this.#beyond(byte);
    if (byte === ESC) {
      const isText = this.#state === State.osc || this.#state === State.dcs;
      if (isText) this.#endText(at, true, false);
      // What ended a text by ESC \ began with the text.
      this.#enter(State.escape, isText ? this.#start : at);
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

  /** A character beyond ASCII, inside a sequence. */
  #beyond(byte: number): void {
    if (this.#isText()) return this.#put(byte);
    const isRest = byte <= 0xbf;
    const stays = this.#state === State.csiIgnore || this.#state === State.dcsIgnore;
    if (!isRest && !stays) this.#state = State.ground;
    return undefined;
  }

  #control1(byte: number, at: number): void {
    const start = this.#state === State.ground ? this.#start : at - 1;
    if (this.#isText()) {
      this.#endText(at + 1, byte === 0x9c, true);
    }
    switch (byte) {
      case 0x9b:
        return this.#enter(State.csiEntry, start);
      case 0x9d:
        return this.#enter(State.osc, start);
      case 0x90:
        return this.#enter(State.dcsEntry, start);
      case 0x98:
      case 0x9e:
      case 0x9f:
        return this.#enter(State.other, start);
      default:
        this.#state = State.ground;
        return undefined;
    }
  }

  #inside(byte: number, at: number): void {
    switch (this.#state) {
      case State.escape:
      case State.escapeIntermediate:
        return this.#escape(byte, at);
      case State.csiEntry:
      case State.csiParam:
      case State.csiIntermediate:
      case State.csiIgnore:
        return this.#csi(byte, at);
      case State.osc:
        if (byte === BEL) {
          this.#endText(at + 1, true, true);
          this.#state = State.ground;
        } else if (byte >= 0x20) this.#put(byte);
        return undefined;
      case State.dcsEntry:
      case State.dcsParam:
      case State.dcsIntermediate:
        return this.#dcsHead(byte);
      case State.dcs:
        if (byte !== 0x7f) this.#put(byte);
        return undefined;
      default:
        return undefined;
    }
  }

  #control(byte: number, at: number): void {
    if (byte === SHIFT_OUT || byte === SHIFT_IN) this.#shift(byte, at);
  }

  #escape(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return this.#control(byte, at);
    if (byte < 0x30) {
      this.#intermediates += String.fromCharCode(byte);
      this.#state = State.escapeIntermediate;
      return undefined;
    }
    if (this.#state === State.escape) {
      switch (byte) {
        case 0x5b:
          this.#state = State.csiEntry;
          return undefined;
        case 0x5d:
          this.#state = State.osc;
          return undefined;
        case 0x50:
          this.#state = State.dcsEntry;
          return undefined;
        case 0x58:
        case 0x5e:
        case 0x5f:
          this.#state = State.other;
          return undefined;
        default:
      }
    }
    this.#final = String.fromCharCode(byte);
    this.#state = State.ground;
    this.#tell("esc", at + 1);
    return undefined;
  }

  #csi(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return this.#control(byte, at);
    if (byte >= 0x40) {
      const isDispatched = this.#state !== State.csiIgnore;
      this.#state = State.ground;
      this.#final = String.fromCharCode(byte);
      if (isDispatched) this.#tell("csi", at + 1);
      return undefined;
    }
    if (this.#state === State.csiIgnore) return undefined;
    if (byte < 0x30) {
      this.#intermediates += String.fromCharCode(byte);
      this.#state = State.csiIntermediate;
    } else if (this.#state === State.csiIntermediate) {
      this.#state = State.csiIgnore;
    } else if (byte < 0x3c) {
      this.#params += String.fromCharCode(byte);
      this.#state = State.csiParam;
    } else if (this.#state === State.csiEntry) {
      this.#prefix = String.fromCharCode(byte);
      this.#state = State.csiParam;
    } else {
      this.#state = State.csiIgnore;
    }
    // No sequence that means anything is as long; it must not gather without end.
    if (this.#params.length + this.#intermediates.length > LONGEST_TEXT) {
      this.#state = State.csiIgnore;
    }
    return undefined;
  }

  #dcsHead(byte: number): void {
    if (byte < 0x20 || byte === 0x7f) return undefined;
    if (byte >= 0x40) {
      this.#final = String.fromCharCode(byte);
      this.#state = State.dcs;
    } else if (byte < 0x30) {
      this.#intermediates += String.fromCharCode(byte);
      this.#state = State.dcsIntermediate;
    } else if (this.#state === State.dcsIntermediate) {
      this.#state = State.dcsIgnore;
    } else if (byte < 0x3c) {
      this.#params += String.fromCharCode(byte);
      this.#state = State.dcsParam;
    } else if (this.#state === State.dcsEntry) {
      this.#prefix = String.fromCharCode(byte);
      this.#state = State.dcsParam;
    } else {
      this.#state = State.dcsIgnore;
    }
    if (this.#params.length + this.#intermediates.length > LONGEST_TEXT) {
      this.#state = State.dcsIgnore;
    }
    return undefined;
  }

  #put(byte: number): void {
    if (this.#text.length < LONGEST_TEXT) this.#text.push(byte);
    else this.#isLong = true;
  }

  #endText(end: number, isWhole: boolean, isBell: boolean): void {
    const kind = this.#state === State.osc ? "osc" : "dcs";
    this.#tell(kind, end, isWhole && !this.#isLong, isBell);
  }

  #tell(kind: Sequence["kind"], end: number, isWhole = true, isBell = false): void {
    this.#found({
      start: this.#start,
      end,
      kind,
      prefix: this.#prefix,
      intermediates: this.#intermediates,
      final: this.#final,
      params: kind === "csi" ? numbers(this.#params) : [],
      text: this.#text.length === 0 ? "" : Buffer.from(this.#text).toString("utf8"),
      isWhole,
      isBell,
    });
  }
}

/** Looks, movement, erasing: most of all sequences, and nobody here listens for them. */
const UNHEARD = new Uint8Array(128);
for (const final of "@ABCDEFGHIJKLMPSTXZ`abdefgijkmov") UNHEARD[final.charCodeAt(0)] = 1;

/** Sequences stand close together, and a call costs more than a look at a few bytes. */
const LOOK_BYTES = 24;

function next(chunk: Buffer, byte: number, from: number): number {
  const near = Math.min(chunk.length, from + LOOK_BYTES);
  for (let at = from; at < near; at++) if (chunk[at] === byte) return at;
  if (near === chunk.length) return near;
  const at = chunk.indexOf(byte, near);
  return at < 0 ? chunk.length : at;
}

/** As xterm counts them: an empty one is 0, sub-parameters are left out, 32 at most. */
function numbers(text: string): number[] {
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
