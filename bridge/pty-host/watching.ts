// Owns what the host tracks in a terminal's bytes: marks from which a screen can be rebuilt, and
// unanswered queries. Keeps both for the next bridge.

import type { ScreenMark, Query } from "../../protocol/host.ts";
import { KiB } from "../../protocol/limits.ts";
import type { Log } from "./log.ts";
import { Modes } from "./modes.ts";
import { isAnswered, questionText } from "../sequences/queries.ts";
import type { Sequence } from "../sequences/sequence.ts";
import { SequenceScanner } from "../sequences/scanner.ts";

/** A rebuilt screen starts at a mark, so it loses at most this much of the retained bytes. */
const MARK_EVERY_BYTES = 64 * KiB;

/** Enough for dragging a window; older sizes do not matter. */
const MOST_MARKS = 128;

/** A program queries and waits; a file full of queries does not. */
export const MOST_QUERIES = 64;
const LONGEST_QUERY = 256;

interface Mark {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly modes: string;
}

export interface WatchingEvents {
  readonly query: (query: Query) => void;
  readonly log: Log;
}

export class Watching {
  readonly #events: WatchingEvents;
  readonly #scanner = new SequenceScanner((sequence) => this.#found(sequence));
  readonly #modes: Modes;
  #cols: number;
  #rows: number;
  #marks: Mark[];
  #queries: Query[] = [];
  #dropped = 0;

  constructor(cols: number, rows: number, events: WatchingEvents) {
    this.#events = events;
    this.#cols = cols;
    this.#rows = rows;
    this.#modes = new Modes(rows);
    this.#marks = [{ offset: 0, cols, rows, modes: "" }];
  }

  /** Processes all output, in order. */
  bytes(chunk: Buffer, offset: number): void {
    this.#scanner.scan(chunk, offset);
    const end = offset + chunk.length;
    const last = this.#marks.at(-1);
    if (last === undefined || end - last.offset < MARK_EVERY_BYTES) return;
    const modes = this.#modes.text();
    // A mark must be between sequences and between characters.
    const isClean = this.#scanner.isGround && (chunk.at(-1) ?? 0) < 0x80;
    if (isClean && modes !== last.modes) this.#mark(end);
  }

  get title(): string {
    return this.#modes.title;
  }

  get titlesSet(): number {
    return this.#modes.titlesSet;
  }

  resized(offset: number, cols: number, rows: number): void {
    if (cols === this.#cols && rows === this.#rows) return;
    this.#cols = cols;
    this.#rows = rows;
    this.#modes.resize(rows);
    this.#mark(offset);
  }

  /** Returns the marks from the last one at or before `since` on, without unchanged modes. */
  marks(since: number): ScreenMark[] {
    const from = Math.max(
      0,
      this.#marks.findLastIndex(({ offset }) => offset <= since),
    );
    let before: string | undefined;
    return this.#marks.slice(from).map(({ modes, ...mark }) => {
      const told = modes === before ? mark : { ...mark, modes };
      before = modes;
      return told;
    });
  }

  /** Drops marks before `first`, except the last, which has the state at `first`. */
  trim(first: number): void {
    const base = this.#marks.findLastIndex(({ offset }) => offset <= first);
    if (base > 0) this.#marks = this.#marks.slice(base);
  }

  /** Returns the unanswered queries, oldest first. */
  get queries(): readonly Query[] {
    return this.#queries;
  }

  /** Removes queries up to an offset; returns whether there were any. */
  answered(upTo: number): boolean {
    const left = this.#queries.filter(({ offset }) => offset > upTo);
    const wasOpen = left.length < this.#queries.length;
    this.#queries = left;
    if (left.length === 0 && this.#dropped > 0) {
      this.#events.log("queries-dropped", { count: this.#dropped });
      this.#dropped = 0;
    }
    return wasOpen;
  }

  #found(sequence: Sequence): void {
    this.#modes.take(sequence);
    if (!isAnswered(sequence)) return;
    const text = questionText(sequence);
    if (this.#queries.length >= MOST_QUERIES || text.length > LONGEST_QUERY) {
      this.#dropped += 1;
      return;
    }
    // The text ends at the ESC of its terminator, whose backslash follows.
    const isText = sequence.kind === "osc" || sequence.kind === "dcs";
    const query = { offset: sequence.end + (isText && !sequence.isBell ? 2 : 0), text };
    this.#queries.push(query);
    this.#events.query(query);
  }

  #mark(offset: number): void {
    const mark = { offset, cols: this.#cols, rows: this.#rows, modes: this.#modes.text() };
    if (this.#marks.at(-1)?.offset === offset) this.#marks.pop();
    this.#marks.push(mark);
    if (this.#marks.length > MOST_MARKS) this.#marks.shift();
  }
}
