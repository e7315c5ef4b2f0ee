// Owns the sessions of one provider on this machine: terminals of a private pty host, which starts
// with the first session. What may run was decided before.

import { messageOf } from "../errors.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import { OneByOne } from "../reading/one-by-one.ts";
import { slice } from "../reading/reading.ts";
import type { Live } from "../sessions/live.ts";
import { overTerminal } from "../sessions/over-terminal.ts";
import { waitFor } from "../sessions/waits.ts";
import type { SpawnPlan } from "../terminals/plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { PrivateHostWish } from "./private-host.ts";
import { PrivateHost } from "./private-host.ts";
import type { InteractiveTerminalOutput, OutputWaitOptions, SessionStatus } from "./types.ts";

/** Everything that the pty host retains of a terminal. */
const ALL = Number.MAX_SAFE_INTEGER;
/** Limit for one answer; the next call continues there. */
const MOST_READ = 200_000;

/** An open session. */
export interface OpenSession {
  readonly terminal: PoolTerminal;
  readonly live: Live;
}

export class LocalSessions {
  readonly #wish: PrivateHostWish;
  readonly #reads = new OneByOne();
  #opening: Promise<PrivateHost> | undefined;
  #host: PrivateHost | undefined;
  #isClosed = false;

  constructor(wish: PrivateHostWish) {
    this.#wish = wish;
  }

  async start(plan: SpawnPlan): Promise<Outcome<OpenSession>> {
    try {
      const { pool } = await this.#open();
      const result = await pool.start(plan);
      if (!result.ok) return refusal(result.error);
      const terminal = pool.get(result.terminal.id);
      if (terminal === undefined) return refusal("It exited immediately");
      return { ok: true, value: { terminal, live: this.#over(terminal) } };
    } catch (error) {
      return refusal(messageOf(error));
    }
  }

  send(id: string, input: string): void {
    this.#hostOf(id).pool.input(this.#require(id), Buffer.from(input));
  }

  async collect(
    id: string,
    fromPosition: number,
    { minInterval, settleInterval, maxInterval }: OutputWaitOptions,
  ): Promise<InteractiveTerminalOutput> {
    const terminal = this.#require(id);
    const intervals = {
      minMs: minInterval * 1_000,
      settleMs: settleInterval * 1_000,
      maxMs: maxInterval * 1_000,
    };
    const settings = { intervals, answerMs: undefined };
    const nobodyLeaves = new AbortController().signal;
    const live = this.#over(terminal);
    await waitFor(live, fromPosition, undefined, settings, Date.now(), nobodyLeaves);
    const wish = { offset: fromPosition, maxBytes: MOST_READ };
    const { text, next } = await this.#hostOf(id).pool.fetch(terminal, 0, ALL, (retained) =>
      slice(retained, wish, terminal.life.state === "finished"),
    );
    const { running, exitCode } = statusOf(terminal);
    // Not complete while output is left to read.
    const isComplete = !running && next >= terminal.end;
    const exit = isComplete && exitCode !== undefined ? { exitCode } : {};
    return { output: text, newPosition: next, isComplete, ...exit };
  }

  async terminate(id: string): Promise<void> {
    const terminal = this.#require(id);
    const { pool } = this.#hostOf(id);
    if (terminal.life.state !== "finished") await pool.close(terminal, "closed by the program");
    pool.forget(terminal);
  }

  status(id: string): SessionStatus | null {
    const terminal = this.#host?.pool.get(id);
    return terminal === undefined ? null : statusOf(terminal);
  }

  /** Ends all sessions and the pty host. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const host = await this.#opening?.catch(() => undefined);
    this.#host = undefined;
    await host?.close();
  }

  async #open(): Promise<PrivateHost> {
    if (this.#isClosed) throw new Error("The terminal service was stopped");
    const opening = (this.#opening ??= PrivateHost.open(this.#wish));
    try {
      const host = await opening;
      if (this.#host !== host) {
        this.#host = host;
        // A host that dies takes its sessions with it; the next session starts another.
        host.pool.onHostGone(() => {
          if (this.#opening === opening) this.#opening = undefined;
        });
      }
      return host;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  #over(terminal: PoolTerminal): Live {
    const { pool, screens } = this.#hostOf(terminal.id);
    const wantsApplicationKeys = (one: PoolTerminal) => screens.wantsApplicationKeys(one);
    // This host belongs to the program alone, so nothing is withheld.
    const own = { pool, output: pool, whyNoInput: () => undefined };
    return overTerminal({ ...own, reads: this.#reads, wantsApplicationKeys }, terminal);
  }

  #hostOf(id: string): PrivateHost {
    if (this.#host === undefined) throw notFound(id);
    return this.#host;
  }

  #require(id: string): PoolTerminal {
    const terminal = this.#hostOf(id).pool.get(id);
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
