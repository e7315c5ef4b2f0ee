// Owns telling a terminal's own words from a person's: replies that a viewer's emulator gives by
// itself, and questions on their way to a terminal that must not answer them. The bridge answers.

import { TERMINAL_QUERIES } from "../../protocol/terminal-queries.ts";
import { isQuery } from "../sequences/queries.ts";
import type { Sequence } from "../sequences/sequence.ts";
import { SequenceScanner } from "../sequences/scanner.ts";
import { LONGEST_TEXT } from "../sequences/sequence.ts";

const ESC = "\x1b";

const REPLIES = new Set(TERMINAL_QUERIES.flatMap(({ replies }) => replies));
const ONLY_REPLIES = new RegExp(`^(?:${ESC}(?:${[...REPLIES].join("|")}))+$`);

/** Longer input is a paste; a reply to a clipboard question is not passed on anyway. */
const LONGEST_REPLY = 8_192;

/** Whether a viewer's input is one or more replies of its emulator, and nothing else. */
export function isReply(data: string): boolean {
  return data.length <= LONGEST_REPLY && data.startsWith(ESC) && ONLY_REPLIES.test(data);
}

/** Between two calls of `stripQueries` for one stream. */
export interface StripState {
  /** What is held back: the beginning of a sequence that may be a question. */
  held: Buffer;
  readonly scanner: SequenceScanner;
  /** Found by the scanner in the bytes at hand, by place. */
  readonly found: Sequence[];
  /** The place in the stream of the next byte to come. */
  offset: number;
  /** Where the last question began. */
  dropped: number;
}

export function stripState(): StripState {
  const found: Sequence[] = [];
  return {
    held: Buffer.alloc(0),
    scanner: new SequenceScanner((sequence) => found.push(sequence)),
    found,
    offset: 0,
    dropped: -1,
  };
}

/** The chunk without questions to the terminal. A sequence that is cut waits for its rest. */
export function stripQueries(chunk: Buffer, state: StripState): Buffer {
  const { scanner, found } = state;
  // The scanner goes on where it was; what is held back has been scanned.
  const start = state.offset - state.held.length;
  const bytes = state.held.length === 0 ? chunk : Buffer.concat([state.held, chunk]);
  scanner.scan(chunk, state.offset);
  state.offset += chunk.length;
  const pieces: Buffer[] = [];
  let at = 0;
  for (const sequence of found.splice(0)) {
    // A text that ESC ended goes with the backslash behind it, which counts from the text's start.
    const isTerminator = sequence.final === "\\" && sequence.start === state.dropped;
    if (!isTerminator && !isQuery(sequence)) continue;
    state.dropped = sequence.start;
    const from = Math.max(at, sequence.start - start);
    pieces.push(bytes.subarray(at, from));
    at = Math.max(from, sequence.end - start);
  }
  const end = holdFrom(state, bytes, start, at);
  pieces.push(bytes.subarray(at, end));
  state.held = Buffer.from(bytes.subarray(Math.max(at, end)));
  return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
}

/** From where on bytes have to wait; those of a long text, which is no question, need not. */
function holdFrom({ scanner }: StripState, bytes: Buffer, start: number, at: number): number {
  if (scanner.isGround) return bytes.length;
  const from = Math.max(at, scanner.startedAt - start);
  return bytes.length - from > LONGEST_TEXT ? bytes.length : from;
}
