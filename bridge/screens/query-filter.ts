// Owns the separation of terminal replies from a person's input, and the removal of queries on
// their way to a terminal that must not answer them: the bridge answers.

import { TERMINAL_QUERIES } from "../../protocol/terminal-queries.ts";
import { isQuery } from "../sequences/query-detection.ts";
import type { Sequence } from "../sequences/sequence.ts";
import { SequenceScanner } from "../sequences/sequence-scanner.ts";
import { MAX_TEXT_BYTES } from "../sequences/sequence.ts";

const ESC = "\x1b";

const REPLIES = new Set(TERMINAL_QUERIES.flatMap(({ replies }) => replies));
const ONLY_REPLIES = new RegExp(`^(?:${ESC}(?:${[...REPLIES].join("|")}))+$`);

/** Longer input is a paste; replies with the clipboard are not forwarded anyway. */
const MAX_REPLY_CHARS = 8_192;

/** Whether a viewer's input consists only of replies of its emulator. */
export function isReply(data: string): boolean {
  return data.length <= MAX_REPLY_CHARS && data.startsWith(ESC) && ONLY_REPLIES.test(data);
}

/** State of one stream between two calls of `stripQueries`. */
export interface StripState {
  /** The start of a sequence that may be a query, held back. */
  held: Buffer;
  readonly scanner: SequenceScanner;
  /** Sequences that the scanner found in the current bytes. */
  readonly found: Sequence[];
  /** Offset of the next byte. */
  offset: number;
  /** Start of the last query. */
  dropped: number;
}

export function createStripState(): StripState {
  const found: Sequence[] = [];
  return {
    held: Buffer.alloc(0),
    scanner: new SequenceScanner((sequence) => found.push(sequence)),
    found,
    offset: 0,
    dropped: -1,
  };
}

/** Returns the chunk without queries. An incomplete sequence is held back for its rest. */
export function stripQueries(chunk: Buffer, state: StripState): Buffer {
  const { scanner, found } = state;
  // The scanner continues where it was; the held bytes have been scanned.
  const start = state.offset - state.held.length;
  const bytes = state.held.length === 0 ? chunk : Buffer.concat([state.held, chunk]);
  scanner.scan(chunk, state.offset);
  state.offset += chunk.length;
  const pieces: Buffer[] = [];
  let at = 0;
  for (const sequence of found.splice(0)) {
    // The backslash after a text that ESC ended belongs to it, and has the text's start.
    const isTerminator = sequence.final === "\\" && sequence.start === state.dropped;
    if (!isTerminator && !isQuery(sequence)) continue;
    state.dropped = sequence.start;
    const from = Math.max(at, sequence.start - start);
    pieces.push(bytes.subarray(at, from));
    at = Math.max(from, sequence.end - start);
  }
  const end = findHoldStart(state, bytes, start, at);
  pieces.push(bytes.subarray(at, end));
  state.held = Buffer.from(bytes.subarray(Math.max(at, end)));
  return pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces);
}

/** Returns from where on bytes are held back; a long text cannot be a query. */
function findHoldStart({ scanner }: StripState, bytes: Buffer, start: number, at: number): number {
  if (scanner.isGround) return bytes.length;
  const from = Math.max(at, scanner.startedAt - start);
  return bytes.length - from > MAX_TEXT_BYTES ? bytes.length : from;
}
