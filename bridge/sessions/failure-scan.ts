// Owns the search for failures in the part of an output that an answer leaves out. It may have
// megabytes: all scans together read one piece per turn of the event loop.

import { KiB } from "../../protocol/limits.ts";
import { findCharacterStart } from "../../protocol/utf8.ts";
import type { KeptPiece } from "../commands/kept-output.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";
import type { Cut } from "./crop.ts";
import { FailureLines } from "./failures.ts";

/** Takes some milliseconds. */
const TURN_BYTES = 64 * KiB;
/** A line that the cut begins within is read from its start, if that is this near. */
const LINE_REACH = 400;
/** The beginning of a line is enough to weigh it. */
const MAX_OPEN_LINE = 4 * KiB;
const NEWLINE = 0x0a;

const scanQueue = new SerialQueue();

/** Returns the lines of the cut that look like failures, at most `maxChars` characters. */
export async function findFailures(
  pieces: readonly KeptPiece[],
  { from, to }: Cut,
  maxChars: number,
): Promise<string> {
  const lines = new FailureLines(maxChars);
  for (const piece of pieces) {
    const end = Math.min(to - piece.offset, piece.bytes.length);
    const scan = new PieceScan(piece.bytes, Math.max(from - piece.offset, 0), end, lines);
    while (!scan.isOver && !lines.isFull) await scanQueue.run(() => scan.step());
  }
  return lines.text();
}

class PieceScan {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #lines: FailureLines;
  readonly #between = new PlainTextDecoder();
  #at: number;
  /** An incomplete line. */
  #open = "";

  constructor(bytes: Buffer, from: number, end: number, lines: FailureLines) {
    this.#bytes = bytes;
    this.#end = end;
    this.#lines = lines;
    this.#at = from < end ? lineStart(bytes, from) : end;
    this.#between.startAt(bytes, this.#at);
  }

  get isOver(): boolean {
    return this.#at >= this.#end;
  }

  step(): void {
    const next = Math.min(findCharacterStart(this.#bytes, this.#at + TURN_BYTES), this.#end);
    const text = this.#open + this.#between.take(this.#bytes.subarray(this.#at, next));
    this.#at = next;
    const lines = text.split(/\r?\n|\r/);
    this.#open = this.isOver ? "" : (lines.pop() ?? "").slice(0, MAX_OPEN_LINE);
    for (const line of lines) this.#lines.add(line);
  }
}

function lineStart(bytes: Buffer, at: number): number {
  const reach = bytes.subarray(Math.max(at - LINE_REACH, 0), at);
  const newline = reach.lastIndexOf(NEWLINE);
  return newline === -1 ? at : at - reach.length + newline + 1;
}
