// Owns reading a session's output: new output since a position, cropped; a page from a position;
// and new text piece by piece, for callers that wait for something in it.

import { OVERLAP_CHARS } from "../reading/pattern-search.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";
import type { KeptOutput, KeptPiece } from "../commands/kept-output.ts";
import type { Session } from "./session-registry.ts";
import { crop, toPage, findWholeEnd } from "./crop.ts";
import type { SessionTarget } from "./session-target.ts";
import { findFailures, MAX_FAILURE_CHARS } from "./failures.ts";
import { formatCropped, formatLost, MAX_FAILURE_MARK_CHARS } from "./tool-texts.ts";

export interface OutputSlice {
  readonly text: string;
  /** Offset up to which it was read. */
  readonly position: number;
  /** Number of bytes that are not in the text. */
  readonly cut: number;
  /** The process has exited, and this is the last of its output. */
  readonly isLast: boolean;
}

/**
 * Reads everything from `from` on, cropped to `maxChars`, with likely failures of the rest. Calls
 * `getId` if something is cut: the mark names the session that has it.
 */
export async function takeNew(
  target: SessionTarget,
  getId: () => string,
  from: number,
  maxChars: number,
): Promise<OutputSlice> {
  // Checked first: the last output is then available.
  const isOver = target.exit() !== undefined;
  const output = await target.read(from);
  if (output === undefined) return toUnavailable(from);
  const { pieces, end } = output;
  const position = Math.max(from, findWholeEnd(pieces, end, isOver));
  const { head, cut, tail } = crop(pieces, from, position, maxChars);
  if (cut === undefined) return { text: head + tail, position, cut: 0, isLast: isOver };
  const lost = cut.to - cut.from - countKept(pieces, cut.from, cut.to);
  const failures = await findFailures(pieces, cut, MAX_FAILURE_CHARS - MAX_FAILURE_MARK_CHARS);
  const text = formatCropped({ head, cut, tail }, { id: getId(), lost, failures });
  return { text, position, cut: cut.to - cut.from, isLast: isOver };
}

/** Reads new output of a session, and moves its position. */
export async function takeFromSession(session: Session, maxChars: number): Promise<OutputSlice> {
  return await session.readQueue.run(async () => {
    const taken = await takeNew(session.target, () => session.id, session.position, maxChars);
    session.move(taken.position);
    return taken;
  });
}

/** Separate stdout and stderr of a command. */
export interface Streams {
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

/**
 * Returns both streams, together at most `maxChars`, with likely failures of the rest. `id` is the
 * session with both together, if any.
 */
export async function takeStreams(
  { stdout, stderr }: Streams,
  id: string | undefined,
  maxChars: number,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const outLength = shownLength(stdout, maxChars);
  const errLength = shownLength(stderr, maxChars);
  // The shorter one gets what it needs, up to half; the other the rest.
  const less = Math.min(outLength, errLength, Math.floor(maxChars / 2));
  const [maxOut, maxErr] =
    outLength < errLength ? [less, maxChars - less] : [maxChars - less, less];
  const out = await takeStream(stdout, id, maxOut, MAX_FAILURE_CHARS);
  const err = await takeStream(stderr, id, maxErr, MAX_FAILURE_CHARS - out.failureChars);
  return { stdout: out.text, stderr: err.text };
}

async function takeStream(
  stream: KeptOutput,
  id: string | undefined,
  maxChars: number,
  maxFailureChars: number,
): Promise<{ readonly text: string; readonly failureChars: number }> {
  const pieces = stream.read();
  const { head, cut, tail } = crop(pieces, 0, findWholeEnd(pieces, stream.end, true), maxChars);
  if (cut === undefined) return { text: head + tail, failureChars: 0 };
  const lost = cut.to - cut.from - countKept(pieces, cut.from, cut.to);
  const room = maxFailureChars - MAX_FAILURE_MARK_CHARS;
  const failures = room > 0 ? await findFailures(pieces, cut, room) : "";
  // A byte of one stream is at the same or a later position in the combined stream, so nothing is
  // missed.
  const text = formatCropped({ head, cut, tail }, { id, lost, failures, isOfBoth: true });
  return { text, failureChars: failures === "" ? 0 : failures.length + MAX_FAILURE_MARK_CHARS };
}

function shownLength(stream: KeptOutput, maxChars: number): number {
  const pieces = stream.read();
  const { head, tail } = crop(pieces, 0, findWholeEnd(pieces, stream.end, true), maxChars);
  return head.length + tail.length;
}

/** Reads a page from `from` on, as far as it fits. */
export async function takePage(
  target: SessionTarget,
  from: number,
  maxChars: number,
): Promise<OutputSlice> {
  const isOver = target.exit() !== undefined;
  const output = await target.read(from);
  if (output === undefined) return toUnavailable(from);
  const { pieces, end } = output;
  const to = findWholeEnd(pieces, end, isOver);
  const first = pieces.find(({ offset, bytes }) => offset + bytes.length > from);
  const start = Math.min(Math.max(from, first?.offset ?? to), to);
  const { text, next } = toPage(first, start, to, maxChars);
  const lost = start - from;
  const isLast = isOver && next >= end;
  return { text: formatLost(lost) + text, position: Math.max(from, next), cut: lost, isLast };
}

/** Returns the result for lost output: the pty host is gone, or the session ended long ago. */
function toUnavailable(position: number): OutputSlice {
  return { text: "[the output is no longer available]", position, cut: 0, isLast: true };
}

/** Returns how many bytes of [from, to) the pieces have. */
function countKept(pieces: readonly KeptPiece[], from: number, to: number): number {
  let kept = 0;
  for (const { offset, bytes } of pieces) {
    kept += Math.max(0, Math.min(to, offset + bytes.length) - Math.max(from, offset));
  }
  return kept;
}

export class NewText {
  readonly #live: SessionTarget;
  readonly #between = new PlainTextDecoder();
  #at: number;
  #last: string | undefined;

  constructor(target: SessionTarget, from: number) {
    this.#live = target;
    this.#at = from;
  }

  /** Resolves to the text since the last call, with some overlap. */
  async next(): Promise<string> {
    const isOver = this.#live.exit() !== undefined;
    const output = await this.#live.read(this.#at);
    const piece = output?.pieces.findLast(({ offset, bytes }) => offset + bytes.length > this.#at);
    if (output === undefined || piece === undefined) return this.#last ?? "";
    const from = Math.max(this.#at - piece.offset, 0);
    const to = findWholeEnd(output.pieces, output.end, isOver) - piece.offset;
    if (this.#last === undefined) this.#between.startAt(piece.bytes, from);
    // Bytes in between are lost, and maybe a part of a sequence.
    else if (piece.offset > this.#at) this.#between.reset();
    if (to <= from) return this.#last ?? "";
    this.#at = piece.offset + to;
    const text = `${this.#last ?? ""}${this.#between.take(piece.bytes.subarray(from, to))}`;
    this.#last = text.slice(-OVERLAP_CHARS);
    return text.replaceAll("\r\n", "\n");
  }
}
