// Owns what agents may do with terminals, for every way in: the seed's rules, its limits and its
// words. Dialects translate; they have no rules of their own.

import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { REPLAY_BYTES } from "../../protocol/limits.ts";
import type { Grant } from "../grants/table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describe } from "../terminals/terminal.ts";
import type { AuditLog } from "./audit.ts";
import { withoutSecrets } from "./environment.ts";
import { isAgents, whyNotKill, whyNotPromote } from "./ownership.ts";
import type { Slice, Wish } from "./reading.ts";
import { ReadingOn, slice } from "./reading.ts";
import { RequestKeys } from "./request-keys.ts";
import { placeInRoots } from "./roots.ts";
import { SpawnLimits } from "./spawn-limits.ts";
import type { Awaited, WaitEnd } from "./waiting.ts";
import {
  compilePattern,
  DEFAULT_WAIT_MS,
  MOST_WAIT_MS,
  OVERLAP_CHARS,
  waitUntil,
} from "./waiting.ts";

export const BLOCKED = "Command blocked for security reasons";
export const NEEDS_APPROVAL = "Command needs approval, and approvals do not exist yet";
export const NOT_FOUND = "Terminal not found";

export type Verdict = "safe" | "unknown" | "dangerous" | "blocked";

/** The command policy, as far as this needs it. */
export type Judge = (
  argv: readonly string[],
  cwd: string,
) => { readonly verdict: Verdict; readonly why: readonly string[] };

export interface AgentOptions {
  readonly pool: TerminalPool;
  /** Folders that agents may start things in, as real paths. */
  readonly roots: readonly string[];
  readonly judge: Judge;
  readonly environment: NodeJS.ProcessEnv;
  /** Names in it that reach agents' children though they look like secrets. */
  readonly letThrough?: ReadonlySet<string>;
  readonly audit: AuditLog;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string; readonly retryAfterMs?: number };

export interface SpawnWish {
  readonly cwd: string;
  readonly command: string[];
  /** The same key from the same grant within 10 minutes gives the same terminal. */
  readonly requestKey?: string | undefined;
}

export interface ReadResult extends Slice {
  readonly exit: Exit | null;
  readonly waited?: WaitEnd;
}

export class AgentTerminals {
  readonly #options: AgentOptions;
  readonly #limits = new SpawnLimits();
  readonly #keys = new RequestKeys<Outcome<Terminal>>();

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  list(): Terminal[] {
    return this.#options.pool.list();
  }

  async spawn(grant: Grant, wish: SpawnWish): Promise<Outcome<Terminal>> {
    const { requestKey, ...asked } = wish;
    if (requestKey === undefined) return await this.#spawn(grant, asked);
    const key = `${grant.id} ${requestKey}`;
    const again = await this.#keys.once(key, JSON.stringify(asked), () =>
      this.#spawn(grant, asked),
    );
    if (again === "differs") {
      return { ok: false, error: "This requestKey was used for another command" };
    }
    const gone = again.ok && this.#options.pool.get(again.value.id)?.life.state !== "running";
    // What it gave is over: asking again means wanting it again.
    return gone ? await this.#keys.anew(key, () => this.#spawn(grant, asked)) : again;
  }

  async read(
    id: string,
    wish: Wish & {
      readonly waitFor?: Awaited | undefined;
      readonly timeoutMs?: number | undefined;
    },
    signal: AbortSignal,
  ): Promise<Outcome<ReadResult>> {
    const terminal = this.#options.pool.get(id);
    if (terminal === undefined) return { ok: false, error: NOT_FOUND };
    const { waitFor } = wish;
    if (waitFor === undefined) return await this.#slice(terminal, wish);
    if (Object.values(waitFor).every((value) => value === undefined)) {
      return { ok: false, error: "waitFor names nothing to wait for: exit, idleMs or pattern" };
    }
    const matches =
      waitFor.pattern === undefined
        ? undefined
        : compilePattern(waitFor.pattern, waitFor.regex ?? false);
    if (typeof matches === "string") return { ok: false, error: matches };
    const timeoutMs = Math.min(wish.timeoutMs ?? DEFAULT_WAIT_MS, MOST_WAIT_MS);
    const waited = await waitUntil(
      this.#watched(terminal, wish.offset ?? 0),
      waitFor,
      matches,
      timeoutMs,
      signal,
    );
    const read = await this.#slice(terminal, wish);
    return read.ok ? { ok: true, value: { ...read.value, waited } } : read;
  }

  promote(grant: Grant, id: string): Outcome<Terminal> {
    const terminal = this.#options.pool.get(id);
    if (terminal === undefined) return { ok: false, error: NOT_FOUND };
    const refusal = whyNotPromote(grant.id, terminal);
    if (refusal !== undefined) return { ok: false, error: refusal };
    if (!terminal.meta.visible) this.#options.pool.promote(terminal);
    return { ok: true, value: describe(terminal) };
  }

  /** Killing what is not there is as good as done. */
  async kill(grant: Grant, id: string): Promise<Outcome<{ terminated: true; id: string }>> {
    const terminal = this.#options.pool.get(id);
    const done = { ok: true, value: { terminated: true, id } } as const;
    if (terminal === undefined || terminal.life.state === "finished") return done;
    const refusal = whyNotKill(grant.id, terminal);
    if (refusal !== undefined) return { ok: false, error: refusal };
    await this.#options.pool.close(terminal, `killed by agent ${grant.id}`);
    return done;
  }

  async #spawn(grant: Grant, { cwd, command }: SpawnWish): Promise<Outcome<Terminal>> {
    const tooOften = this.#limits.tooManyRefusals(grant.id);
    if (tooOften !== undefined) {
      const error = "Too many refused attempts; wait before you try again";
      return { ok: false, error, retryAfterMs: tooOften };
    }
    const refuse = (error: string, retryAfterMs?: number): Outcome<Terminal> => {
      this.#limits.refused(grant.id);
      return { ok: false, error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    };
    const { pool, roots, judge, environment, letThrough, audit } = this.#options;
    // The folder as it is, before anything is said about what runs in it: a link is no way around.
    const placed = placeInRoots(cwd, roots);
    if (!placed.ok) return refuse(placed.error);
    const { verdict, why } = judge(command, placed.path);
    const who = { grant: grant.id, label: grant.label };
    audit.write({ event: "verdict", ...who, arguments: { command, cwd }, verdict, why });
    if (verdict === "blocked") return refuse(BLOCKED);
    if (verdict === "dangerous")
      return refuse(`${NEEDS_APPROVAL}: ${why.join("; ").slice(0, 300)}`);
    // From here to the spawn nothing awaits: fifty at once are counted one by one.
    const decision = this.#limits.take(pool.running().filter(isAgents).length);
    if (!decision.ok) return refuse(decision.error, decision.retryAfterMs);
    const result = await pool.spawn(
      { cwd: placed.path, command },
      {
        owner: "agent",
        visible: false,
        startedBy: { grant: grant.id, label: grant.label },
        environment: withoutSecrets(environment, letThrough),
      },
    );
    if (result.ok) decision.slot.keep();
    else decision.slot.release();
    return result.ok ? { ok: true, value: result.terminal } : { ok: false, error: result.error };
  }

  async #slice(terminal: PoolTerminal, wish: Wish): Promise<Outcome<ReadResult>> {
    try {
      const value = await this.#options.pool.fetch(terminal, 0, REPLAY_BYTES, (retained) => {
        const { life } = terminal;
        const exit = life.state === "finished" ? life.exit : null;
        return { ...slice(retained, wish, exit !== null), exit };
      });
      return { ok: true, value };
    } catch {
      return { ok: false, error: NOT_FOUND };
    }
  }

  #watched(terminal: PoolTerminal, offset: number) {
    const { pool } = this.#options;
    const reading = new ReadingOn(offset, OVERLAP_CHARS);
    return {
      isOver: () => terminal.life.state === "finished",
      text: () =>
        pool
          .fetch(terminal, reading.from, REPLAY_BYTES, (retained) => reading.text(retained))
          .catch(() => ""),
      subscribe: (listener: () => void) => pool.watch(terminal, listener),
    };
  }
}
