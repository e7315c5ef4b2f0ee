// Owns the terminals that coding agents create through ACP: which conversation has which, what is
// read from them, and their end with the conversation. They start through the pipeline. People can
// read them after the agent released them; kept-terminals.ts decides for how long.

import type { Isolation } from "../../protocol/isolation.ts";
import { KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import type { Caller } from "../callers/caller.ts";
import { maySee } from "../callers/sight.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { Asking, Pipeline } from "../pipeline/pipeline.ts";
import { OneByOne } from "../reading/one-by-one.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { ClientOutput } from "./client-output.ts";
import { clientOutput, limitOf } from "./client-output.ts";
import type { Readable } from "./withholding.ts";
import { readableByAgents } from "./withholding.ts";

/**
 * Unreleased terminals per conversation, running or not; bounds an agent that never releases any.
 */
export const MOST_UNRELEASED = 64;
/** Minimum to retain, since people read more of a terminal than its agent asked for. */
const LEAST_KEPT_BYTES = 64 * KiB;

export type ClientPool = Readable & Pick<TerminalPool, "get" | "all" | "close" | "note">;

/** An agent's request to run something. */
export interface ClientWish {
  readonly conversation: string;
  /** A line for `sh -c`; undefined if `command` has separate words. */
  readonly line?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isolation: Isolation;
  readonly outputByteLimit?: number | null | undefined;
}

export type ClientAsking = Pick<Asking, "signal" | "subject" | "isAllowed">;

export interface ClientTerminalParts {
  readonly pool: ClientPool;
  readonly pipeline: Pick<Pipeline<Terminal>, "run">;
  /** Fires when an agent has released a terminal. */
  readonly onReleased: () => void;
}

export class ClientTerminals {
  readonly #parts: ClientTerminalParts;
  readonly #reader: Readable;
  readonly #reads = new OneByOne();
  /** Unreleased terminals, by conversation. */
  readonly #held = new Map<string, Map<string, PoolTerminal>>();

  constructor(parts: ClientTerminalParts) {
    this.#parts = parts;
    this.#reader = readableByAgents(parts.pool);
    // Takes over the terminals of the previous bridge.
    for (const terminal of parts.pool.all()) {
      const { conversation, feed } = terminal.meta;
      if (conversation === undefined || conversation.isReleased === true || feed === true) continue;
      this.#of(conversation.id).set(terminal.id, terminal);
    }
  }

  /** Returns the conversations that have terminals. */
  conversations(): string[] {
    return [...this.#held.keys()];
  }

  async create(caller: Caller, wish: ClientWish, asking: ClientAsking): Promise<Outcome<string>> {
    const { conversation, outputByteLimit, ...rest } = wish;
    if ((this.#held.get(conversation)?.size ?? 0) >= MOST_UNRELEASED) {
      return refusal(`This session has ${MOST_UNRELEASED} terminals: release some first`);
    }
    const limit = limitOf(outputByteLimit);
    // Twice the limit, because escape sequences and carriage returns are removed before the agent
    // gets it.
    const bytes = Math.min(REPLAY_BYTES, Math.max(LEAST_KEPT_BYTES, 2 * limit));
    const started = await this.#parts.pipeline.run(
      caller,
      {
        ...rest,
        lane: "acp",
        lifetime: "held",
        retain: { bytes, untilForgotten: true },
        conversation: { id: conversation, limit },
      },
      { ...asking, via: "terminal/create", line: wish.line },
    );
    if (!started.ok) return started;
    const terminal = this.#parts.pool.get(started.value.id);
    if (terminal === undefined) return refusal("It exited immediately");
    this.#of(conversation).set(terminal.id, terminal);
    return { ok: true, value: terminal.id };
  }

  /** Returns the output; undefined if the agent has, or may see, no such terminal. */
  async output(
    caller: Caller,
    conversation: string,
    id: string,
  ): Promise<(ClientOutput & { readonly exit: Exit | undefined }) | undefined> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return undefined;
    const limit = terminal.meta.conversation?.limit ?? limitOf(undefined);
    const read = this.#reads.run(() =>
      this.#reader.fetch(terminal, 0, REPLAY_BYTES, (retained) => {
        const exit = exitOf(terminal);
        return { ...clientOutput(retained, limit, exit !== undefined), exit };
      }),
    );
    // The pty host is gone, and the bytes with it.
    const nothing = () => ({ output: "", truncated: true, exit: exitOf(terminal) });
    return await unlessUnavailable(read, nothing);
  }

  /** Resolves after the last byte with the exit, or with "cancelled" when `signal` aborts first. */
  async exited(
    caller: Caller,
    conversation: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Exit | "cancelled" | undefined> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return undefined;
    await orAborted(terminal.finished, signal);
    return exitOf(terminal) ?? "cancelled";
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
      this.#parts.pool.note(terminal, { conversation: { ...place, isReleased: true } });
    }
    await this.#end(terminal, why);
    this.#parts.onReleased();
  }

  /** Closes the terminal, unless it was promoted and so belongs to the user. */
  async #end(terminal: PoolTerminal, why: string): Promise<void> {
    if (terminal.meta.owner === "agent") await this.#parts.pool.close(terminal, why);
  }

  #find(caller: Caller, conversation: string, id: string): PoolTerminal | undefined {
    const terminal = this.#held.get(conversation)?.get(id);
    const grant = caller.grant();
    if (terminal === undefined || grant === undefined) return undefined;
    return maySee(grant, terminal.meta) ? terminal : undefined;
  }

  #of(conversation: string): Map<string, PoolTerminal> {
    const known = this.#held.get(conversation) ?? new Map<string, PoolTerminal>();
    this.#held.set(conversation, known);
    return known;
  }
}

function exitOf({ life }: PoolTerminal): Exit | undefined {
  return life.state === "finished" ? life.exit : undefined;
}

function orAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
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
