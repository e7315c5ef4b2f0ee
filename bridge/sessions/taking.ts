// Owns reading a session's output: what is new since a position, cropped; a page from a position on;
// and new text piece by piece, for whoever waits for something in it.

import { OVERLAP_CHARS } from "../reading/search.ts";
import { TextBetween } from "../sequences/text-between.ts";
import type { KeptOutput, Piece } from "../commands/kept.ts";
import type { Session } from "./book.ts";
import { crop, page, wholeEnd } from "./crop.ts";
import type { Live } from "./live.ts";
import { findFailures } from "./failure-scan.ts";
import { MAX_FAILURE_CHARS } from "./failures.ts";
import { croppedText, lostText, MAX_FAILURE_MARK_CHARS } from "./texts.ts";

export interface Taken {
  readonly text: string;
  /** Where it was read up to. */
  readonly position: number;
  /** Bytes that are not in the text. */
  readonly cut: number;
  /** The process had ended, and this is the last of its output. */
  readonly isLast: boolean;
}

/**
 * Returns everything from `from` on, at most so many characters and what looks like failures in the
 * rest. `getId` is called when something is cut: the mark names the session that reads it.
 */
export async function takeNew(
  live: Live,
  getId: () => string,
  from: number,
  mostChars: number,
): Promise<Taken> {
  // Asked first: what it printed last is there by then.
  const isOver = live.exit() !== undefined;
  const output = await live.read(from);
  if (output === undefined) return nothingKept(from);
  const { pieces, end } = output;
  const position = Math.max(from, wholeEnd(pieces, end, isOver));
  const { head, cut, tail } = crop(pieces, from, position, mostChars);
  if (cut === undefined) return { text: head + tail, position, cut: 0, isLast: isOver };
  const lost = cut.to - cut.from - keptOf(pieces, cut.from, cut.to);
  const failures = await findFailures(pieces, cut, MAX_FAILURE_CHARS - MAX_FAILURE_MARK_CHARS);
  const text = croppedText({ head, cut, tail }, { id: getId(), lost, failures });
  return { text, position, cut: cut.to - cut.from, isLast: isOver };
}

/** What is new in a session; it counts as given from now on. */
export async function takeFrom(session: Session, mostChars: number): Promise<Taken> {
  return await session.reading.run(async () => {
    const taken = await takeNew(session.live, () => session.id, session.position, mostChars);
    session.move(taken.position);
    return taken;
  });
}

/** A command's two streams, apart. */
export interface Streams {
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

/**
 * Returns the two streams, together at most so many characters, and what looks like failures in what
 * is cut. `id` is the session over both together, if there is one.
 */
export async function takeStreams(
  { stdout, stderr }: Streams,
  id: string | undefined,
  mostChars: number,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const outLength = shownLength(stdout, mostChars);
  const errLength = shownLength(stderr, mostChars);
  // The shorter one gets what it needs, up to half; the other the rest.
  const less = Math.min(outLength, errLength, Math.floor(mostChars / 2));
  const [maxOut, maxErr] =
    outLength < errLength ? [less, mostChars - less] : [mostChars - less, less];
  const out = await takeStream(stdout, id, maxOut, MAX_FAILURE_CHARS);
  const err = await takeStream(stderr, id, maxErr, MAX_FAILURE_CHARS - out.failureChars);
  return { stdout: out.text, stderr: err.text };
}

async function takeStream(
  stream: KeptOutput,
  id: string | undefined,
  mostChars: number,
  maxFailureChars: number,
): Promise<{ readonly text: string; readonly failureChars: number }> {
  const pieces = stream.read();
  const { head, cut, tail } = crop(pieces, 0, wholeEnd(pieces, stream.end, true), mostChars);
  if (cut === undefined) return { text: head + tail, failureChars: 0 };
  const lost = cut.to - cut.from - keptOf(pieces, cut.from, cut.to);
  const room = maxFailureChars - MAX_FAILURE_MARK_CHARS;
  const failures = room > 0 ? await findFailures(pieces, cut, room) : "";
  // A byte of one stream stands at the same position of both together, or later: nothing is missed.
  const text = croppedText({ head, cut, tail }, { id, lost, failures, isOfBoth: true });
  return { text, failureChars: failures === "" ? 0 : failures.length + MAX_FAILURE_MARK_CHARS };
}

function shownLength(stream: KeptOutput, mostChars: number): number {
  const pieces = stream.read();
  const { head, tail } = crop(pieces, 0, wholeEnd(pieces, stream.end, true), mostChars);
  return head.length + tail.length;
}

/** From `from` on as far as fits, to be read on from where it ends. */
export async function takePage(live: Live, from: number, mostChars: number): Promise<Taken> {
  const isOver = live.exit() !== undefined;
  const output = await live.read(from);
  if (output === undefined) return nothingKept(from);
  const { pieces, end } = output;
  const to = wholeEnd(pieces, end, isOver);
  const first = pieces.find(({ offset, bytes }) => offset + bytes.length > from);
  const start = Math.min(Math.max(from, first?.offset ?? to), to);
  const { text, next } = page(first, start, to, mostChars);
  const lost = start - from;
  const isLast = isOver && next >= end;
  return { text: lostText(lost) + text, position: Math.max(from, next), cut: lost, isLast };
}

/** Its pty host is gone, or it has been over for long. */
function nothingKept(position: number): Taken {
  return { text: "[its output is not kept any more]", position, cut: 0, isLast: true };
}

/** How many of [from, to) the pieces have. */
function keptOf(pieces: readonly Piece[], from: number, to: number): number {
  let kept = 0;
  for (const { offset, bytes } of pieces) {
    kept += Math.max(0, Math.min(to, offset + bytes.length) - Math.max(from, offset));
  }
  return kept;
}

export class NewText {
  readonly #live: Live;
  readonly #between = new TextBetween();
  #at: number;
  #last: string | undefined;

  constructor(live: Live, from: number) {
    this.#live = live;
    this.#at = from;
  }

  /** What came since the last call, with a little of what came before. */
  async next(): Promise<string> {
    const isOver = this.#live.exit() !== undefined;
    const output = await this.#live.read(this.#at);
    const piece = output?.pieces.findLast(({ offset, bytes }) => offset + bytes.length > this.#at);
    if (output === undefined || piece === undefined) return this.#last ?? "";
    const from = Math.max(this.#at - piece.offset, 0);
    const to = wholeEnd(output.pieces, output.end, isOver) - piece.offset;
    if (this.#last === undefined) this.#between.startAt(piece.bytes, from);
    // Something is lost in between, and a sequence with it.
    else if (piece.offset > this.#at) this.#between.reset();
    if (to <= from) return this.#last ?? "";
    this.#at = piece.offset + to;
    const text = `${this.#last ?? ""}${this.#between.take(piece.bytes.subarray(from, to))}`;
    this.#last = text.slice(-OVERLAP_CHARS);
    return text.replaceAll("\r\n", "\n");
  }
}
