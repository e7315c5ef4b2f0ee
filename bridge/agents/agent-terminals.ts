// Owns what agents may do with terminals, in every dialect: which they see, read, start, promote
// and end. Dialects translate; they have no rules of their own.

import type { Isolation } from "../../protocol/isolation.ts";
import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import type { Caller } from "../callers/caller.ts";
import { toActor } from "../callers/caller.ts";
import { canSee } from "../callers/permissions.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { RequestContext, Pipeline } from "../pipeline/pipeline.ts";
import type { ScreenView } from "../screens/screen-view.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import type { Cut } from "../sessions/crop.ts";
import { findFailures, MAX_FAILURE_CHARS } from "../sessions/failures.ts";
import { promotionLimitDenial, killDenial, promoteDenial } from "./ownership.ts";
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
import { RequestKeys } from "./request-keys.ts";
import type { TerminalReader } from "./agent-visibility.ts";
import { describeToAgents, readableByAgents, agentInputDenial } from "./agent-visibility.ts";
import type { WaitCondition, WaitEnd } from "../reading/wait-until.ts";
import { compilePattern, DEFAULT_WAIT_MS, MAX_WAIT_MS, waitUntil } from "../reading/wait-until.ts";

export const NOT_FOUND = "Terminal not found";

/** The part of the pool that agents use. */
export type AgentPool = Pick<
  TerminalPool,
  "get" | "running" | "fetch" | "watch" | "promote" | "close"
>;

export interface AgentTerminalsDeps {
  readonly pool: AgentPool;
  readonly screens: { view(terminal: PoolTerminal): Promise<ScreenView> };
  readonly pipeline: Pick<Pipeline<Terminal>, "run">;
  /** Returns the name of a terminal's foreground program, by its first process; "" if unknown. */
  readonly findProgram: (pid: number) => string;
}

export interface BackgroundSpawn {
  readonly cwd: string;
  readonly command: string[];
  /** May raise the isolation above the user's minimum, never lower it. */
  readonly isolation?: Isolation | undefined;
  /** The same key from the same grant within 10 minutes returns the same terminal. */
  readonly requestKey?: string | undefined;
}

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

export class AgentTerminals {
  readonly #deps: AgentTerminalsDeps;
  readonly #keys = new RequestKeys<Outcome<Terminal>>();
  readonly #reads = new SerialQueue();
  /** All of agents' reads go through it. */
  readonly #reader: TerminalReader;

  constructor(deps: AgentTerminalsDeps) {
    this.#deps = deps;
    this.#reader = readableByAgents(deps.pool);
  }

  list(caller: Caller): Terminal[] {
    const { pool } = this.#deps;
    return pool
      .running()
      .filter((terminal) => canCallerSee(caller, terminal))
      .map(describeToAgents);
  }

  /** Returns the foreground program of each terminal that the caller sees, by id. */
  listPrograms(caller: Caller): Map<string, string> {
    const seen = this.#deps.pool
      .running()
      // A person who stepped in runs programs of their own.
      .filter(
        (terminal) => canCallerSee(caller, terminal) && agentInputDenial(terminal) === undefined,
      );
    return new Map(seen.map(({ id, pid }) => [id, this.#deps.findProgram(pid)]));
  }

  /** Whether the terminal runs or recently finished, and the caller may see it. */
  exists(caller: Caller, id: string): boolean {
    return this.#find(caller, id) !== undefined;
  }

  async spawn(
    caller: Caller,
    request: BackgroundSpawn,
    { signal, client }: Pick<RequestContext, "signal" | "client"> = {},
  ): Promise<Outcome<Terminal>> {
    const { requestKey, ...asked } = request;
    const start = (leaving?: AbortSignal) =>
      this.#deps.pipeline.run(
        caller,
        { ...asked, lane: "background", lifetime: "background" },
        { via: "spawn_background_terminal", signal: leaving, client },
      );
    if (requestKey === undefined) return await start(signal);
    // With a key the call outlives this client: a retry with the same key finds the terminal.
    const outcome = await this.#keys.once(
      `${caller.grantId} ${requestKey}`,
      JSON.stringify(asked),
      () => start(),
      (made) => made.ok && this.#deps.pool.get(made.value.id)?.life.state === "running",
    );
    return outcome === "differs"
      ? refusal("This requestKey was used for another command")
      : outcome;
  }

  async read(
    caller: Caller,
    id: string,
    request: ReadRequest,
    signal: AbortSignal,
  ): Promise<Outcome<ReadResult>> {
    const terminal = this.#find(caller, id);
    if (terminal === undefined) return refusal(NOT_FOUND);
    const { waitFor } = request;
    const matcher = request.match === undefined ? undefined : compilePattern(request.match);
    if (typeof matcher === "string") return refusal(matcher);
    if (waitFor === undefined) return await this.#readDefault(terminal, request, matcher, signal);
    if (Object.values(waitFor).every((value) => value === undefined)) {
      return refusal("waitFor needs one of exit, idleMs or pattern");
    }
    const matches =
      waitFor.pattern === undefined ? undefined : compilePattern(waitFor.pattern, waitFor.regex);
    if (typeof matches === "string") return refusal(matches);
    const timeoutMs = Math.min(request.timeoutMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
    const watched = this.#toWatched(terminal, request.offset ?? 0);
    const waited = await waitUntil(watched, waitFor, matches, timeoutMs, signal);
    // It may have become private meanwhile, or the grant may have ended.
    if (!canCallerSee(caller, terminal)) return refusal(NOT_FOUND);
    // Clients repeat waits, so that each answer is limited instead of returning the whole history.
    const read = await this.#readDefault(terminal, request, matcher, signal, DEFAULT_READ_BYTES);
    return read.ok ? { ok: true, value: { ...read.value, waited } } : read;
  }

  async readScreen(caller: Caller, id: string): Promise<Outcome<ScreenView>> {
    const terminal = this.#find(caller, id);
    if (terminal === undefined) return refusal(NOT_FOUND);
    return await orNotFound(this.#deps.screens.view(terminal));
  }

  promote(caller: Caller, id: string): Outcome<Terminal> {
    const terminal = this.#find(caller, id);
    if (terminal === undefined) return refusal(NOT_FOUND);
    const why = promoteDenial(caller.grantId, terminal);
    if (why !== undefined) return refusal(why);
    const { visible } = terminal.meta;
    // Promoting now would make it the user's while a person types for the agent.
    const { pool } = this.#deps;
    const busy = visible
      ? undefined
      : (agentInputDenial(terminal) ?? promotionLimitDenial(pool.running()));
    if (busy !== undefined) return refusal(busy);
    if (!visible) pool.promote(terminal, toActor(caller));
    return { ok: true, value: describeToAgents(terminal) };
  }

  /** Kills a terminal; succeeds if it is already gone. */
  async kill(caller: Caller, id: string): Promise<Outcome<{ terminated: true; id: string }>> {
    const terminal = this.#find(caller, id);
    const done = { ok: true, value: { terminated: true, id } } as const;
    if (terminal === undefined || terminal.life.state === "finished") return done;
    const why = killDenial(caller.grantId, terminal);
    if (why !== undefined) return refusal(why);
    await this.#deps.pool.close(terminal, `killed by agent ${caller.grantId}`);
    return done;
  }

  #find(caller: Caller, id: string): PoolTerminal | undefined {
    const terminal = this.#deps.pool.get(id);
    return terminal !== undefined && canCallerSee(caller, terminal) ? terminal : undefined;
  }

  /** Reads a slice; where the default size cut the output of a program that exited, finds its failures. */
  async #readDefault(
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
    const retained = this.#reads.run(() =>
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
      this.#reads.run(() =>
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

  #toWatched(terminal: PoolTerminal, offset: number) {
    const pool = this.#reader;
    const reading = new ContinuousReader(offset, OVERLAP_CHARS);
    return {
      isOver: () => terminal.life.state === "finished",
      text: async () => {
        const text = this.#reads.run(() =>
          pool.fetch(terminal, reading.from, REPLAY_BYTES, (retained) => reading.text(retained)),
        );
        // The terminal is over; `isOver` reports that.
        return await unlessUnavailable(text, () => "");
      },
      subscribe: (listener: () => void) => pool.watch(terminal, listener),
    };
  }
}

/** Maps an unavailable pty host or screen to "not found", since agents cannot tell the difference. */
export async function orNotFound<T>(asked: Promise<T>): Promise<Outcome<T>> {
  const found = asked.then((value): Outcome<T> => ({ ok: true, value }));
  return await unlessUnavailable(found, () => refusal(NOT_FOUND));
}

function canCallerSee(caller: Caller, { meta }: PoolTerminal): boolean {
  const grant = caller.grant();
  return grant !== undefined && canSee(grant, meta);
}
