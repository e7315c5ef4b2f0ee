// Owns the terminals that coding agents ask their client for (seed 001): who has which, what is read
// of them, and that they end with their conversation. They start through the pipeline like all else.
// People read them on after the agent let go of them: kept-terminals.ts says for how long.

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

/** Of one conversation, running or not: an agent that never releases stops here. */
export const MOST_UNRELEASED = 64;
/** Kept of a short one, too: people read more of it than the agent asked for. */
const LEAST_KEPT_BYTES = 64 * KiB;

export type ClientPool = Readable & Pick<TerminalPool, "get" | "all" | "close" | "note">;

/** What an agent wants to run. */
export interface ClientWish {
  readonly conversation: string;
  /** A line for `sh -c`, or words. */
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
  /** Nobody but people reads it from now on. */
  readonly onReleased: () => void;
}

export class ClientTerminals {
  readonly #parts: ClientTerminalParts;
  readonly #reader: Readable;
  readonly #reads = new OneByOne();
  /** By conversation: those that its agent has not released. */
  readonly #held = new Map<string, Map<string, PoolTerminal>>();

  constructor(parts: ClientTerminalParts) {
    this.#parts = parts;
    this.#reader = readableByAgents(parts.pool);
    // Of the bridge before.
    for (const terminal of parts.pool.all()) {
      const { conversation, feed } = terminal.meta;
      if (conversation === undefined || conversation.isReleased === true || feed === true) continue;
      this.#of(conversation.id).set(terminal.id, terminal);
    }
  }

  /** Conversations that have terminals. */
  conversations(): string[] {
    return [...this.#held.keys()];
  }

  async create(caller: Caller, wish: ClientWish, asking: ClientAsking): Promise<Outcome<string>> {
    const { conversation, outputByteLimit, ...rest } = wish;
    if ((this.#held.get(conversation)?.size ?? 0) >= MOST_UNRELEASED) {
      return refusal(`This session has ${MOST_UNRELEASED} terminals: release some first`);
    }
    const limit = limitOf(outputByteLimit);
    // Twice: sequences and carriage returns are not in what the agent gets.
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
    if (terminal === undefined) return refusal("It ended at once");
    this.#of(conversation).set(terminal.id, terminal);
    return { ok: true, value: terminal.id };
  }

  /** Undefined when the id is none of the conversation's, or the agent may not see it any more. */
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

  /** Behind the last byte; "cancelled" when nobody waits any more. */
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

  /** False when there is no such terminal. */
  async kill(caller: Caller, conversation: string, id: string): Promise<boolean> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return false;
    await this.#end(terminal, `killed by agent ${caller.grantId}`);
    return true;
  }

  /** The id means nothing from now on, whatever its end takes. False when it never did. */
  async release(caller: Caller, conversation: string, id: string): Promise<boolean> {
    const terminal = this.#find(caller, conversation, id);
    if (terminal === undefined) return false;
    await this.#release(conversation, terminal, `released by agent ${caller.grantId}`);
    return true;
  }

  /** Everything that a conversation has, when it is over. */
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

  /** What was promoted is the user's, and ends with nobody's conversation. */
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
