// Owns the sessions of one service on this machine: terminals of a pty host of its own, which is
// started with the first of them. What may run was decided before.

import { PrivateHost } from "./private-host.ts";
import type { PrivateHostWish } from "./private-host.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { slice } from "../reading/reading.ts";
import { waitUntil } from "../reading/waiting.ts";
import { silenceFor } from "../sessions/intervals.ts";
import type { SpawnPlan } from "../terminals/plan.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { messageOf } from "../errors.ts";
import type { InteractiveTerminalOutput, OutputWaitOptions, SessionStatus } from "./types.ts";

/** All that the pty host keeps of a terminal. */
const ALL = Number.MAX_SAFE_INTEGER;
const MOST_READ = 200_000;

/** A session that is open, until it ends. */
export interface OpenSession {
  readonly id: string;
  readonly ended: Promise<void>;
}

export class LocalSessions {
  readonly #wish: PrivateHostWish;
  #host: Promise<PrivateHost> | undefined;
  #pool: TerminalPool | undefined;

  constructor(wish: PrivateHostWish) {
    this.#wish = wish;
  }

  async start(plan: SpawnPlan): Promise<Outcome<OpenSession>> {
    let pool: TerminalPool;
    try {
      pool = await this.#open();
    } catch (error) {
      return refusal(messageOf(error));
    }
    const result = await pool.start(plan);
    if (!result.ok) return refusal(result.error);
    const { id } = result.terminal;
    return { ok: true, value: { id, ended: pool.get(id)?.finished ?? Promise.resolve() } };
  }

  send(id: string, input: string): void {
    this.#pool?.input(this.#require(id), Buffer.from(input));
  }

  async collect(
    id: string,
    fromPosition: number,
    wait: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    const terminal = this.#require(id);
    await this.#wait(terminal, wait);
    const wish = { offset: fromPosition, maxBytes: MOST_READ };
    const { text, next } = await this.#poolOf(id).fetch(terminal, 0, ALL, (retained) =>
      slice(retained, wish, terminal.life.state === "finished"),
    );
    const status = statusOf(terminal);
    // What is left to read is no completion yet.
    const isComplete = !status.running && next >= terminal.end;
    const { exitCode } = status;
    const exit = isComplete && exitCode !== undefined ? { exitCode } : {};
    return { output: text, newPosition: next, isComplete, ...exit };
  }

  async terminate(id: string): Promise<void> {
    const terminal = this.#require(id);
    const pool = this.#poolOf(id);
    if (terminal.life.state !== "finished") await pool.close(terminal, "the program ended it");
    pool.forget(terminal);
  }

  status(id: string): SessionStatus | null {
    const terminal = this.#pool?.get(id);
    return terminal === undefined ? null : statusOf(terminal);
  }

  /** Ends all of them, and the pty host. */
  async close(): Promise<void> {
    const opening = this.#host;
    this.#host = undefined;
    this.#pool = undefined;
    const host = await opening?.catch(() => undefined);
    await host?.close();
  }

  async #open(): Promise<TerminalPool> {
    this.#host ??= PrivateHost.open(this.#wish);
    const opening = this.#host;
    try {
      const { pool } = await opening;
      if (this.#host !== opening) throw new Error("The service was stopped");
      this.#pool = pool;
      // A host that dies takes its sessions with it; the next session starts another.
      pool.onHostGone(() => {
        if (this.#host === opening) this.#host = undefined;
      });
      return pool;
    } catch (error) {
      if (this.#host === opening) this.#host = undefined;
      throw error;
    }
  }

  async #wait(terminal: PoolTerminal, wait: OutputWaitOptions): Promise<void> {
    const minMs = wait.minInterval * 1_000;
    const settleMs = wait.settleInterval * 1_000;
    const maxMs = wait.maxInterval * 1_000;
    const watched = {
      isOver: () => terminal.life.state === "finished",
      text: () => Promise.resolve(""),
      subscribe: (listener: () => void) => this.#poolOf(terminal.id).watch(terminal, listener),
    };
    const silence = silenceFor({ minMs, settleMs, maxMs }, false);
    const nobodyLeaves = new AbortController().signal;
    await waitUntil(watched, { silence }, undefined, maxMs, nobodyLeaves);
  }

  #poolOf(id: string): TerminalPool {
    if (this.#pool === undefined) throw notFound(id);
    return this.#pool;
  }

  #require(id: string): PoolTerminal {
    const terminal = this.#poolOf(id).get(id);
    if (terminal === undefined) throw notFound(id);
    return terminal;
  }
}

function notFound(id: string): Error {
  return new Error(`There is no session ${id}`);
}

function statusOf({ id, life, meta, end }: PoolTerminal): SessionStatus {
  const code = life.state === "finished" ? life.exit.exitCode : null;
  return {
    id,
    running: life.state !== "finished",
    startTime: meta.createdAt,
    outputLength: end,
    ...(code === null ? {} : { exitCode: code }),
  };
}
