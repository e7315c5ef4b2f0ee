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
  /** The text was longer, or the sequence was broken off. */
  readonly isWhole: boolean;
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
    let special = -1;
    for (let at = 0; at < chunk.length;) {
      if (!this.isGround) {
        this.#step(chunk[at] ?? 0, offset + at);
        at += 1;
        continue;
      }
      // Still ahead, so still the first one.
      if (special < at) special = firstSpecial(chunk, at);
      const escape = chunk.indexOf(ESC, at);
      if (special < (escape < 0 ? chunk.length : escape)) {
        this.#begin(chunk[special] ?? 0, offset + special);
        at = special + 1;
        continue;
      }
      if (escape < 0) return;
      const behind = skipLook(chunk, escape);
      if (behind < 0) this.#begin(ESC, offset + escape);
      at = behind < 0 ? escape + 1 : behind;
    }
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
    this.#start = at;
    this.#clear();
    this.#final = String.fromCharCode(byte);
    this.#tell("shift", at + 1, true);
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
      if (isText) this.#endText(at, true);
      // What ended a text by ESC \ began with the text.
      this.#enter(State.escape, isText ? this.#start : at);
      return undefined;
    }
    if (byte === CAN || byte === SUB) {
      if (this.#isText()) this.#endText(at + 1, false);
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
      this.#endText(at + 1, byte === 0x9c);
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
          this.#endText(at + 1, true);
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

  #escape(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return undefined;
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
    this.#tell("esc", at + 1, true);
    return undefined;
  }

  #csi(byte: number, at: number): void {
    if (byte < 0x20 || byte === 0x7f) return undefined;
    if (byte >= 0x40) {
      const isDispatched = this.#state !== State.csiIgnore;
      this.#state = State.ground;
      this.#final = String.fromCharCode(byte);
      if (isDispatched) this.#tell("csi", at + 1, true);
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

  #endText(end: number, isWhole: boolean): void {
    this.#tell(this.#state === State.osc ? "osc" : "dcs", end, isWhole && !this.#isLong);
  }

  #tell(kind: Sequence["kind"], end: number, isWhole: boolean): void {
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
    });
  }
}

/** The first byte that matters in plain text though it is no ESC; the end if there is none. */
function firstSpecial(chunk: Buffer, from: number): number {
  let first = chunk.length;
  for (const byte of [C1_LEAD, SHIFT_OUT, SHIFT_IN]) {
    const at = chunk.indexOf(byte, from);
    if (at >= 0 && at < first) first = at;
  }
  return first;
}

/** Colours are most of all sequences and matter to nobody here. Behind one that is whole, else -1. */
function skipLook(chunk: Buffer, escape: number): number {
  if (chunk[escape + 1] !== 0x5b) return -1;
  for (let at = escape + 2; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (byte >= 0x30 && byte <= 0x3b) continue;
    return byte === 0x6d ? at + 1 : -1;
  }
  return -1;
}

/** As xterm counts them: an empty one is 0, sub-parameters are left out, 32 at most. */
function numbers(text: string): number[] {
  const found: number[] = [];
  for (const one of text.split(";")) {
    if (found.length === MOST_PARAMS) break;
    const digits = /^\d*/.exec(one)?.[0] ?? "";
    found.push(Math.min(LARGEST_PARAM, Number(digits)));
  }
  return found;
}
