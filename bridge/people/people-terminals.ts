// Owns what people may do with terminals (see, open, type, close), whatever their door and dialect.
// Dialects only translate; the rules are here. Also owns how often one person may rename terminals:
// every name is stored and sent to everyone. Decides and counts; the clock and the person's id are
// arguments.

import type { ErrorCode } from "../../protocol/codes.ts";
import { MAX_REQUESTS_PER_GRANT } from "../../protocol/limits.ts";
import { getTitleError } from "../../protocol/names.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, toActor } from "../callers/caller.ts";
import type { Permission } from "../callers/permissions.ts";
import { canSee, permissionDenial } from "../callers/permissions.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { SpawnResult, TerminalPool } from "../terminals/pool.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import type { Peer } from "../viewers/peer-table.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { OpenPastes, PASTE_END } from "./open-pastes.ts";
import { toPersonKey } from "./visitor.ts";

/** Options that people may give for a new terminal. */
export interface OpenTerminalRequest {
  readonly cwd?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cols?: number | undefined;
  readonly rows?: number | undefined;
  /** Hidden from agents and view links. */
  readonly private?: boolean | undefined;
  /** Replaces the bridge's environment: `pairpty shell` passes its window's. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

export type PeoplePool = Pick<
  TerminalPool,
  "get" | "running" | "plan" | "start" | "close" | "input" | "updateMeta" | "promote"
>;

export interface PeopleTerminalsDeps {
  /** Whether the caller has stepped in to an agent's terminal. */
  readonly hasSteppedIn?: (caller: Caller, terminal: PoolTerminal) => boolean;
  readonly onTyped?: (caller: Caller, terminal: PoolTerminal, grant: Grant) => void;
  /** Makes a person who types the driver. */
  readonly viewers?: Pick<Viewers, "claimByTyping" | "onTyped">;
  /** Returns the person behind a caller, for limits that count per person. */
  readonly toPersonKey?: (caller: Caller) => string;
  readonly now?: () => number;
}

/** The sender's grant and place in the room, where the message under way has them already. */
export interface TypingContext {
  readonly grant?: Grant | undefined;
  readonly viewer?: Peer | undefined;
}

const LINK_ENDED = "This link has expired or was revoked";

export class PeopleTerminals {
  readonly #pool: PeoplePool;
  readonly #deps: PeopleTerminalsDeps;
  readonly #renames: RenameLimit;
  readonly #pastes = new OpenPastes();
  /** By grant id: terminals that are starting. */
  readonly #starting = new Map<string, number>();

  constructor(pool: PeoplePool, deps: PeopleTerminalsDeps = {}) {
    this.#pool = pool;
    this.#deps = deps;
    this.#renames = new RenameLimit(deps.now ?? Date.now);
  }

  denialReason(caller: Caller, act: Permission): string | undefined {
    return permissionDenial(caller, act);
  }

  /** Returns the running terminals that the caller may see. */
  list(caller: Caller): Terminal[] {
    const grant = caller.grant();
    if (grant === undefined) return [];
    return this.#pool
      .running()
      .filter(({ meta }) => canSee(grant, meta))
      .map(describeTerminal);
  }

  /** Returns a running or recently finished terminal; undefined if the caller may not see it. */
  find(caller: Caller, id: string, grant = caller.grant()): PoolTerminal | undefined {
    const terminal = this.#pool.get(id);
    if (terminal === undefined || grant === undefined) return undefined;
    return canSee(grant, terminal.meta) ? terminal : undefined;
  }

  async open(caller: Caller, request: OpenTerminalRequest): Promise<SpawnResult | Refusal> {
    const refusal = this.denialReason(caller, "change");
    if (refusal !== undefined) return toForbidden(refusal);
    const { private: isPrivate, ...options } = request;
    const planned = this.#pool.plan({ ...options, isPrivate, lane: "user", lifetime: "user" });
    if (!planned.ok) return { ok: false, code: "spawn_failed", error: planned.error };
    const starting = this.#starting.get(caller.grantId) ?? 0;
    if (starting >= MAX_REQUESTS_PER_GRANT) {
      const error = `This link has ${starting} terminals starting; wait for one to start`;
      return { ok: false, code: "too_many", error };
    }
    const started = await this.#start(caller, planned.plan);
    const denial = this.denialReason(caller, "change");
    if (!started.ok || denial === undefined) return started;
    // Right lost during the spawn: kill the terminal and report that.
    const terminal = this.#pool.get(started.terminal.id);
    if (terminal !== undefined) void this.#pool.close(terminal, "the right to open it has ended");
    if (caller.grant() !== undefined) return toForbidden(denial);
    return { ok: false, code: "unauthorized", error: LINK_ENDED };
  }

  async #start({ grantId }: Caller, plan: SpawnPlan): Promise<SpawnResult> {
    this.#starting.set(grantId, (this.#starting.get(grantId) ?? 0) + 1);
    try {
      return await this.#pool.start(plan);
    } finally {
      const left = (this.#starting.get(grantId) ?? 1) - 1;
      if (left > 0) this.#starting.set(grantId, left);
      else this.#starting.delete(grantId);
    }
  }

  /** Kills a terminal and everything in it. Resolves when nothing of it is left. */
  async close(caller: Caller, terminal: PoolTerminal): Promise<Refusal | undefined> {
    const error = this.denialReason(caller, "change");
    if (error !== undefined) return toForbidden(error);
    const by = caller.door.name === "control" ? "the host" : callerDisplayName(caller);
    await this.#pool.close(terminal, `asked by ${caller.grantId}`, by);
    return undefined;
  }

  /** Renames the terminal for everyone; "" restores its own name. */
  rename(caller: Caller, terminal: PoolTerminal, name: string): Refusal | undefined {
    const error = this.denialReason(caller, "change");
    if (error !== undefined) return toForbidden(error);
    const problem = getTitleError(name);
    if (problem !== undefined) return { ok: false, code: "bad_request", error: problem };
    const next = name === "" ? undefined : name;
    if (terminal.meta.name === next) return undefined;
    const person = this.#deps.toPersonKey?.(caller) ?? toPersonKey(caller, undefined);
    const tooMany = this.#renames.countOrDeny(person);
    if (tooMany !== undefined) return { ok: false, code: "too_many", error: tooMany };
    this.#pool.updateMeta(terminal, { name: next }, toActor(caller));
    return undefined;
  }

  /** Turns an agent's terminal into a user's. */
  promote(caller: Caller, terminal: PoolTerminal): Refusal | undefined {
    const error = this.denialReason(caller, "change") ?? promotionDenialReason(terminal);
    if (error !== undefined) return toForbidden(error);
    if (terminal.meta.owner === "agent") this.#pool.promote(terminal, toActor(caller));
    return undefined;
  }

  /**
   * Types into a terminal, or returns why not: the only place that decides it. The viewer becomes
   * the driver before the input is written, so that the size fits already.
   */
  type(
    caller: Caller,
    id: string,
    bytes: Uint8Array,
    { grant = caller.grant(), viewer }: TypingContext = {},
  ): Refusal | undefined {
    const denial = permissionDenial(caller, "change", grant);
    if (denial !== undefined || grant === undefined) return toForbidden(denial ?? LINK_ENDED);
    const terminal = this.find(caller, id, grant);
    if (terminal === undefined) return NOT_FOUND;
    const blocked = this.#inputBlockedReason(caller, terminal);
    if (blocked !== undefined) return toForbidden(blocked);
    const { onTyped, viewers } = this.#deps;
    if (viewer !== undefined) viewers?.claimByTyping(viewer, terminal);
    onTyped?.(caller, terminal, grant);
    this.#pastes.onTyped(caller, terminal, bytes);
    this.#pool.input(terminal, bytes);
    if (viewer !== undefined) viewers?.onTyped(viewer, terminal);
    return undefined;
  }

  /** Ends the pastes of a caller who left, or lost the right to type, in the middle of one. */
  onLeft(caller: Caller): void {
    for (const terminal of this.#pastes.take(caller)) {
      if (terminal.life.state === "running") this.#pool.input(terminal, toBytes(PASTE_END));
    }
  }

  /** Returns why a terminal takes no input; an agent's does only after stepping in. */
  #inputBlockedReason(caller: Caller, terminal: PoolTerminal): string | undefined {
    const { life, meta } = terminal;
    if (life.state === "finished") return "Session has ended";
    if (meta.owner === "user" || this.#deps.hasSteppedIn?.(caller, terminal) === true)
      return undefined;
    return meta.steppedIn === undefined
      ? "Input goes to user terminals only; step in first to type into an agent's (pty:step-in)"
      : `Input goes to user terminals only; ${meta.steppedIn.label} has stepped in to this one`;
  }
}

/** Returns why an agent's terminal cannot be promoted; undefined if it can. */
function promotionDenialReason({ life, meta }: PoolTerminal): string | undefined {
  if (life.state === "finished") return "Session has ended";
  if (meta.feed === true)
    return "This terminal only shows the output of an agent's commands; no program runs in it";
  if (meta.conversation !== undefined)
    return "This terminal belongs to a conversation, and its agent is waiting for it";
  if (meta.steppedIn !== undefined)
    return `${meta.steppedIn.label} has stepped in; you can keep this terminal once they hand it back`;
  return undefined;
}

export interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly error: string;
}

/** Refusal for a terminal that does not exist, or that the caller may not see. */
export const NOT_FOUND: Refusal = { ok: false, code: "not_found", error: "Session not found" };

function toForbidden(error: string): Refusal {
  return { ok: false, code: "forbidden", error };
}

export const MAX_RENAMES = 10;
export const RENAMES_WITHIN_MS = 10_000;

class RenameLimit {
  readonly #now: () => number;
  /** Times of renames by person: each page of a person, and each CLI call, is a separate caller. */
  readonly #times = new Map<string, readonly number[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts one rename, or returns why it is one too many; that one is not counted. */
  countOrDeny(person: string): string | undefined {
    const now = this.#now();
    this.#dropBefore(now - RENAMES_WITHIN_MS);
    const recent = this.#times.get(person) ?? [];
    const [oldest = now] = recent;
    if (recent.length < MAX_RENAMES) {
      this.#times.set(person, [...recent, now]);
      return undefined;
    }
    const seconds = Math.ceil((oldest + RENAMES_WITHIN_MS - now) / 1000);
    return `You renamed terminals ${MAX_RENAMES} times within ${RENAMES_WITHIN_MS / 1000} s; try again in ${seconds} s`;
  }

  #dropBefore(start: number): void {
    for (const [person, times] of this.#times) {
      const recent = times.filter((at) => at > start);
      if (recent.length === 0) this.#times.delete(person);
      else this.#times.set(person, recent);
    }
  }
}
