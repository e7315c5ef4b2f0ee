// Owns reading a terminal's output for agents: slices, matching lines, failures, and waiting for output.
// Does not decide who may read; removes what is withheld from agents.

import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import type { Cut } from "../sessions/crop.ts";
import { findFailures, MAX_FAILURE_CHARS } from "../sessions/failures.ts";
import type { MatchedLines, Matcher } from "../reading/pattern-search.ts";
import { findMatchingLines, OVERLAP_CHARS } from "../reading/pattern-search.ts";
import type { RetainedForAgents, TextSlice, ReadOptions } from "../reading/terminal-text.ts";
import {
  DEFAULT_READ_BYTES,
  readAll,
  MAX_READ_BYTES,
  ContinuousReader,
  readSlice,
} from "../reading/terminal-text.ts";
import type { TerminalReader } from "./agent-visibility.ts";
import { readableByAgents } from "./agent-visibility.ts";
import type { WaitCondition, WaitEnd } from "../reading/wait-until.ts";
import { orNotFound } from "./not-found.ts";

export interface ReadRequest extends ReadOptions {
  /**
   * Limits the text to matching lines and those around them: a plain text, or a regular expression
   * between slashes.
   */
  readonly match?: string | undefined;
  readonly waitFor?: WaitCondition | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface ReadResult extends TextSlice {
  readonly exit: Exit | null;
  readonly waited?: WaitEnd;
  /** How many lines match, and how many of them the text contains. */
  readonly matches?: Pick<MatchedLines, "matches" | "shown"> & {
    /** Offset where the search began; set if earlier output is no longer retained. */
    readonly searchedFrom?: number;
  };
  /** Why the terminal was closed, if it did not exit on its own. */
  readonly closed?: string;
  /** Lines before `offset` that look like failures, if it has exited and the default size cut them. */
  readonly failures?: string;
}

export class AgentReads {
  readonly #queue = new SerialQueue();
  /** All of agents' reads go through it. */
  readonly #reader: TerminalReader;

  constructor(pool: TerminalReader) {
    this.#reader = readableByAgents(pool);
  }

  /** Reads a slice; where the default size cut the output of a program that exited, finds its failures. */
  async read(
    terminal: PoolTerminal,
    request: ReadRequest,
    matcher: Matcher | undefined,
    signal: AbortSignal,
    defaultBytes?: number,
  ): Promise<Outcome<ReadResult>> {
    const { maxBytes = defaultBytes, offset, lines } = request;
    const read = await this.#slice(terminal, { ...request, maxBytes }, matcher, signal);
    const isChosen = request.maxBytes !== undefined || offset !== undefined || lines !== undefined;
    if (!read.ok || isChosen || matcher !== undefined) return read;
    const { exit, truncated, firstRetained: from, offset: to } = read.value;
    if (exit === null || !truncated || to <= from) return read;
    const failures = await this.#findFailures(terminal, { from, to });
    return failures === "" ? read : { ok: true, value: { ...read.value, failures } };
  }

  async #findFailures(terminal: PoolTerminal, cut: Cut): Promise<string> {
    const retained = this.#queue.run(() =>
      this.#reader.fetch(terminal, cut.from, REPLAY_BYTES, (piece) => piece),
    );
    const piece = await unlessUnavailable(retained, () => undefined);
    return piece === undefined ? "" : await findFailures([piece], cut, MAX_FAILURE_CHARS);
  }

  async #slice(
    terminal: PoolTerminal,
    request: ReadOptions,
    matcher: Matcher | undefined,
    signal: AbortSignal,
  ): Promise<Outcome<ReadResult>> {
    const fetched = <T>(accept: (retained: RetainedForAgents, exit: Exit | null) => T) =>
      this.#queue.run(() =>
        this.#reader.fetch(terminal, 0, REPLAY_BYTES, (retained) => {
          const { life } = terminal;
          return accept(retained, life.state === "finished" ? life.exit : null);
        }),
      );
    const read = await orNotFound<ReadResult>(
      matcher === undefined
        ? fetched((retained, exit) => ({ ...readSlice(retained, request, exit !== null), exit }))
        : this.#readMatching(fetched, request, matcher, signal),
    );
    const { closeReason } = terminal;
    if (!read.ok || closeReason === undefined) return read;
    return { ok: true, value: { ...read.value, closed: closeReason } };
  }

  async #readMatching(
    fetched: <T>(accept: (retained: RetainedForAgents, exit: Exit | null) => T) => Promise<T>,
    { offset: asked, maxBytes }: ReadOptions,
    matcher: Matcher,
    signal: AbortSignal,
  ): Promise<ReadResult> {
    const { text, ...place } = await fetched((retained, exit) => ({
      ...readAll(retained, asked, exit !== null),
      exit,
    }));
    const most = Math.min(maxBytes ?? DEFAULT_READ_BYTES, MAX_READ_BYTES);
    const { text: found, ...matches } = await findMatchingLines(text, matcher, most, signal);
    const truncated = place.offset > (asked ?? 0);
    const searched = truncated ? { searchedFrom: place.offset } : {};
    return { ...place, text: found, truncated, matches: { ...matches, ...searched } };
  }

  /** Returns the terminal's output from `offset` on, for `waitUntil`. */
  watch(terminal: PoolTerminal, offset: number) {
    const pool = this.#reader;
    const reading = new ContinuousReader(offset, OVERLAP_CHARS);
    return {
      isOver: () => terminal.life.state === "finished",
      text: async () => {
        const text = this.#queue.run(() =>
          pool.fetch(terminal, reading.from, REPLAY_BYTES, (retained) => reading.text(retained)),
        );
        // The terminal is over; `isOver` reports that.
        return await unlessUnavailable(text, () => "");
      },
      subscribe: (listener: () => void) => pool.watch(terminal, listener),
    };
  }
}
