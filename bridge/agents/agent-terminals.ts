// Owns what agents may do with terminals, in every dialect: which they see, read, start, promote
// and end. Dialects translate; they have no rules of their own. How output is read is in agent-reads.ts.

import type { Isolation } from "../../protocol/isolation.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import type { Caller } from "../callers/caller.ts";
import { toActor } from "../callers/caller.ts";
import { canSee } from "../callers/permissions.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { RequestContext, Pipeline } from "../pipeline/pipeline.ts";
import type { ScreenView } from "../screens/screen-view.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { promotionLimitDenial, killDenial, promoteDenial } from "./ownership.ts";
import { DEFAULT_READ_BYTES } from "../reading/terminal-text.ts";
import type { ReadRequest, ReadResult } from "./agent-reads.ts";
import { AgentReads } from "./agent-reads.ts";
import { NOT_FOUND, orNotFound } from "./not-found.ts";
import { RequestKeys } from "./request-keys.ts";
import { describeToAgents, agentInputDenial } from "./agent-visibility.ts";
import { compilePattern, DEFAULT_WAIT_MS, MAX_WAIT_MS, waitUntil } from "../reading/wait-until.ts";

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

export class AgentTerminals {
  readonly #deps: AgentTerminalsDeps;
  readonly #keys = new RequestKeys<Outcome<Terminal>>();
  readonly #reads: AgentReads;

  constructor(deps: AgentTerminalsDeps) {
    this.#deps = deps;
    this.#reads = new AgentReads(deps.pool);
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
    if (waitFor === undefined) return await this.#reads.read(terminal, request, matcher, signal);
    if (Object.values(waitFor).every((value) => value === undefined)) {
      return refusal("waitFor needs one of exit, idleMs or pattern");
    }
    const matches =
      waitFor.pattern === undefined ? undefined : compilePattern(waitFor.pattern, waitFor.regex);
    if (typeof matches === "string") return refusal(matches);
    const timeoutMs = Math.min(request.timeoutMs ?? DEFAULT_WAIT_MS, MAX_WAIT_MS);
    const watched = this.#reads.watch(terminal, request.offset ?? 0);
    const waited = await waitUntil(watched, waitFor, matches, timeoutMs, signal);
    // It may have become private meanwhile, or the grant may have ended.
    if (!canCallerSee(caller, terminal)) return refusal(NOT_FOUND);
    // Clients repeat waits, so that each answer is limited instead of returning the whole history.
    const read = await this.#reads.read(terminal, request, matcher, signal, DEFAULT_READ_BYTES);
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
}

function canCallerSee(caller: Caller, { meta }: PoolTerminal): boolean {
  const grant = caller.grant();
  return grant !== undefined && canSee(grant, meta);
}
