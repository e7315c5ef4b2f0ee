// Owns the terminals that coding agents create through ACP: which conversation has which, what is
// read from them, and their end with the conversation. They start through the pipeline. People can
// read them after the agent released them; released-terminals.ts decides for how long. Also owns
// the output that a coding agent gets from its terminal: the last bytes within a limit, as text,
// with the program's own line ends.

import type { Isolation } from "../../protocol/isolation.ts";
import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { findCharacterStart } from "../../protocol/text.ts";
import type { Caller } from "../callers/caller.ts";
import { canSee } from "../callers/permissions.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { RequestContext, Pipeline } from "../pipeline/pipeline.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import type { RetainedForAgents } from "../reading/terminal-text.ts";
import { readAll } from "../reading/terminal-text.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { TerminalReader } from "./agent-visibility.ts";
import { readableByAgents } from "./agent-visibility.ts";

/**
 * Unreleased terminals per conversation, running or not; bounds an agent that never releases any.
 */
export const MAX_UNRELEASED = 64;
/** Minimum to retain, since people read more of a terminal than its agent asked for. */
const MIN_KEPT_BYTES = 64 * KiB;

export type ClientPool = TerminalReader &
  Pick<TerminalPool, "get" | "all" | "close" | "updateMeta">;

/** An agent's request to run something. */
export interface ClientTerminalRequest {
  readonly conversation: string;
  /** A line for `sh -c`; undefined if `command` has separate words. */
  readonly line?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly outputByteLimit?: number | null | undefined;
}

export type ClientRequestContext = Pick<RequestContext, "signal" | "subject" | "isAllowed">;

export interface ClientTerminalsDeps {
  readonly pool: ClientPool;
  readonly pipeline: Pick<Pipeline<Terminal>, "run">;
  /** Fires when an agent has released a terminal. */
  readonly onReleased: () => void;
}

export class ClientTerminals {
  readonly #deps: ClientTerminalsDeps;
  readonly #reader: TerminalReader;
  readonly #reads = new SerialQueue();
  /** Unreleased terminals, by conversation. */
  readonly #held = new Map<string, Map<string, PoolTerminal>>();

  constructor(deps: ClientTerminalsDeps) {
    this.#deps = deps;
    this.#reader = readableByAgents(deps.pool);
    // Takes over the terminals of the previous bridge.
    for (const terminal of deps.pool.all()) {
      const { conversation, feed } = terminal.meta;
      if (conversation === undefined || conversation.isReleased === true || feed === true) continue;
      this.#getOrCreate(conversation.id).set(terminal.id, terminal);
    }
  }

  /** Returns the conversations that have terminals. */
  listConversations(): string[] {
    return [...this.#held.keys()];
  }

  async create(
    caller: Caller,
    request: ClientTerminalRequest,
    context: ClientRequestContext,
  ): Promise<Outcome<string>> {
    const { conversation, outputByteLimit, ...rest } = request;
    if ((this.#held.get(conversation)?.size ?? 0) >= MAX_UNRELEASED) {
      return refusal(`This session has ${MAX_UNRELEASED} terminals: release some first`);
    }
    const limit = clampLimit(outputByteLimit);
    // Twice the limit, because escape sequences and carriage returns are removed before the agent
    // gets it.
    const bytes = Math.min(REPLAY_BYTES, Math.max(MIN_KEPT_BYTES, 2 * limit));
    const started = await this.#deps.pipeline.run(
      caller,
      {
        ...rest,
        lane: "acp",
        lifetime: "held",
        retain: { bytes, untilForgotten: true },
        conversation: { id: conversation, limit },
      },
      { ...context, via: "terminal/create", line: request.line },
    );
    if (!started.ok) return started;
    const terminal = this.#deps.pool.get(started.value.id);
    if (terminal === undefined) return refusal("It exited immediately");
    this.#getOrCreate(conversation).set(terminal.id, terminal);
    return { ok: true, value: terminal.id };
  }

  /** Returns the output; undefined if the agent has, or may see, no such terminal. */
  async readOutput(
    caller: Caller,
    conversation: string,
    id: string,
  ): Promise<(ClientOutput & { readonly exit: Exit | undefined }) | undefined> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return undefined;
    const limit = terminal.meta.conversation?.limit ?? clampLimit(undefined);
    const read = this.#reads.run(() =>
      this.#reader.fetch(terminal, 0, REPLAY_BYTES, (retained) => {
        const exit = findExit(terminal);
        return { ...clientOutput(retained, limit, exit !== undefined), exit };
      }),
    );
    // The pty host is gone, and the bytes with it.
    const nothing = () => ({ output: "", truncated: true, exit: findExit(terminal) });
    return await unlessUnavailable(read, nothing);
  }

  /** Resolves after the last byte with the exit, or with "cancelled" when `signal` aborts first. */
  async waitForExit(
    caller: Caller,
    conversation: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Exit | "cancelled" | undefined> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return undefined;
    await settledOrAborted(terminal.finished, signal);
    return findExit(terminal) ?? "cancelled";
  }

  /** Kills a terminal; false if there is none with this id. */
  async kill(caller: Caller, conversation: string, id: string): Promise<boolean> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return false;
    await this.#end(terminal, `killed by agent ${caller.grantId}`);
    return true;
  }

  /** Releases a terminal; its id becomes invalid immediately. False if there is none. */
  async release(caller: Caller, conversation: string, id: string): Promise<boolean> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return false;
    await this.#release(conversation, terminal, `released by agent ${caller.grantId}`);
    return true;
  }

  /** Releases all terminals of a conversation that is over. */
  async releaseAll(conversation: string, why: string): Promise<void> {
    const held = [...(this.#held.get(conversation)?.values() ?? [])];
    await Promise.all(held.map((terminal) => this.#release(conversation, terminal, why)));
  }

  async #release(conversation: string, terminal: PoolTerminal, why: string): Promise<void> {
    const held = this.#held.get(conversation);
    held?.delete(terminal.id);
    if (held?.size === 0) this.#held.delete(conversation);
    const place = terminal.meta.conversation;
    if (place !== undefined) {
      this.#deps.pool.updateMeta(terminal, { conversation: { ...place, isReleased: true } });
    }
    await this.#end(terminal, why);
    this.#deps.onReleased();
  }

  /** Closes the terminal, unless it was promoted and so belongs to the user. */
  async #end(terminal: PoolTerminal, why: string): Promise<void> {
    if (terminal.meta.owner === "agent") await this.#deps.pool.close(terminal, why);
  }

  #find(caller: Caller, conversation: string, id: string): PoolTerminal | undefined {
    const terminal = this.#held.get(conversation)?.get(id);
    const grant = caller.grant();
    if (terminal === undefined || grant === undefined) return undefined;
    return canSee(grant, terminal.meta) ? terminal : undefined;
  }

  #getOrCreate(conversation: string): Map<string, PoolTerminal> {
    const known = this.#held.get(conversation) ?? new Map<string, PoolTerminal>();
    this.#held.set(conversation, known);
    return known;
  }
}

function findExit({ life }: PoolTerminal): Exit | undefined {
  return life.state === "finished" ? life.exit : undefined;
}

function settledOrAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      signal.removeEventListener("abort", settle);
      resolve();
    };
    if (signal.aborted) return settle();
    signal.addEventListener("abort", settle);
    void done.then(settle);
    return undefined;
  });
}

/** Upper bound for any request; encoded as JSON it still fits a message to an agent. */
export const MAX_OUTPUT_BYTES = 1 << 20;

export interface ClientOutput {
  readonly output: string;
  /** Whether earlier output was cut off. */
  readonly truncated: boolean;
}

export function clampLimit(asked: number | null | undefined): number {
  return Math.min(asked ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES);
}

/**
 * Returns the last bytes as text. The line discipline puts one CR before each LF, so removing one
 * before each LF restores what the program wrote, including its own CRs. `isOver`: the program has
 * exited.
 */
export function clientOutput(
  retained: RetainedForAgents,
  limit: number,
  isOver: boolean,
): ClientOutput {
  const { text, offset } = readAll(retained, 0, isOver);
  const bytes = Buffer.from(text);
  const from = findCharacterStart(bytes, Math.max(0, bytes.length - limit));
  return { output: bytes.toString("utf8", from), truncated: offset > 0 || from > 0 };
}
