// Owns what the host tracks in a terminal's bytes: marks from which a screen can be rebuilt, and
// unanswered queries. Keeps both for the next bridge.

import type { ScreenMark, Query } from "../../protocol/host.ts";
import { KiB } from "../../protocol/limits.ts";
import type { Log } from "./log.ts";
import { TerminalModes } from "./terminal-modes.ts";
import { isAnswered, formatQuery } from "../sequences/query-detection.ts";
import type { Sequence } from "../sequences/sequence.ts";
import { SequenceScanner } from "../sequences/sequence-scanner.ts";

/** A rebuilt screen starts at a mark, so it loses at most this much of the retained bytes. */
const MARK_EVERY_BYTES = 64 * KiB;

/** Enough for dragging a window; older sizes do not matter. */
const MAX_MARKS = 128;

/** A program queries and waits; a file full of queries does not. */
export const MAX_QUERIES = 64;
const MAX_QUERY_CHARS = 256;

interface Mark {
  readonly offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly modes: string;
}

export interface OutputWatcherEvents {
  readonly onQuery: (query: Query) => void;
  readonly log: Log;
}

export class OutputWatcher {
  readonly #events: OutputWatcherEvents;
  readonly #scanner = new SequenceScanner((sequence) => this.#onSequence(sequence));
  readonly #modes: TerminalModes;
  #cols: number;
  #rows: number;
  #marks: Mark[];
  #queries: Query[] = [];
  #dropped = 0;

  constructor(cols: number, rows: number, events: OutputWatcherEvents) {
    this.#events = events;
    this.#cols = cols;
    this.#rows = rows;
    this.#modes = new TerminalModes(rows);
    this.#marks = [{ offset: 0, cols, rows, modes: "" }];
  }

  /** Processes all output, in order. */
  onBytes(chunk: Buffer, offset: number): void {
    this.#scanner.scan(chunk, offset);
    const end = offset + chunk.length;
    const last = this.#marks.at(-1);
    if (last === undefined || end - last.offset < MARK_EVERY_BYTES) return;
    const modes = this.#modes.text();
    // A mark must be between sequences and between characters.
    const isClean = this.#scanner.isGround && (chunk.at(-1) ?? 0) < 0x80;
    if (isClean && modes !== last.modes) this.#addMark(end);
  }

  get title(): string {
    return this.#modes.title;
  }

  get titlesSet(): number {
    return this.#modes.titlesSet;
  }

  onResized(offset: number, cols: number, rows: number): void {
    if (cols === this.#cols && rows === this.#rows) return;
    this.#cols = cols;
    this.#rows = rows;
    this.#modes.resize(rows);
    this.#addMark(offset);
  }

  /** Returns the marks from the last one at or before `since` on, without unchanged modes. */
  marks(since: number): ScreenMark[] {
    const from = Math.max(
      0,
      this.#marks.findLastIndex(({ offset }) => offset <= since),
    );
    let before: string | undefined;
    return this.#marks.slice(from).map(({ modes, ...mark }) => {
      const shown = modes === before ? mark : { ...mark, modes };
      before = modes;
      return shown;
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
  markAnswered(upTo: number): boolean {
    const left = this.#queries.filter(({ offset }) => offset > upTo);
    const wasOpen = left.length < this.#queries.length;
    this.#queries = left;
    if (left.length === 0 && this.#dropped > 0) {
      this.#events.log("queries-dropped", { count: this.#dropped });
      this.#dropped = 0;
    }
    return wasOpen;
  }

  #onSequence(sequence: Sequence): void {
    this.#modes.apply(sequence);
    if (!isAnswered(sequence)) return;
    const text = formatQuery(sequence);
    if (this.#queries.length >= MAX_QUERIES || text.length > MAX_QUERY_CHARS) {
      this.#dropped += 1;
      return;
    }
    // The text ends at the ESC of its terminator, whose backslash follows.
    const isText = sequence.kind === "osc" || sequence.kind === "dcs";
    const query = { offset: sequence.end + (isText && !sequence.isBell ? 2 : 0), text };
    this.#queries.push(query);
    this.#events.onQuery(query);
  }

  #addMark(offset: number): void {
    const mark = { offset, cols: this.#cols, rows: this.#rows, modes: this.#modes.text() };
    if (this.#marks.at(-1)?.offset === offset) this.#marks.pop();
    this.#marks.push(mark);
    if (this.#marks.length > MAX_MARKS) this.#marks.shift();
  }
}
