// Owns what people may do with terminals (see, open, type, close), whatever their door and dialect.
// Dialects only translate; the rules are here.

import type { ErrorCode } from "../../protocol/codes.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, toActor } from "../callers/caller.ts";
import type { Permission } from "../callers/permissions.ts";
import { permissionDenial } from "../callers/permissions.ts";
import { canSee } from "../callers/visibility.ts";
import type { SpawnResult, TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { getTitleError } from "../../protocol/title.ts";
import { OpenPastes, PASTE_END } from "./open-pastes.ts";
import { RenameLimit } from "./rename-limit.ts";
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
  readonly onTyped?: (caller: Caller, terminal: PoolTerminal) => void;
  /** Returns the person behind a caller, for limits that count per person. */
  readonly toPersonKey?: (caller: Caller) => string;
  readonly now?: () => number;
}

export class PeopleTerminals {
  readonly #pool: PeoplePool;
  readonly #deps: PeopleTerminalsDeps;
  readonly #renames: RenameLimit;
  readonly #pastes = new OpenPastes();

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
    return this.#pool
      .running()
      .filter((terminal) => this.canSee(caller, terminal))
      .map(describeTerminal);
  }

  /** Returns a running or recently finished terminal; undefined if the caller may not see it. */
  find(caller: Caller, id: string): PoolTerminal | undefined {
    const terminal = this.#pool.get(id);
    return terminal !== undefined && this.canSee(caller, terminal) ? terminal : undefined;
  }

  canSee(caller: Caller, { meta }: PoolTerminal): boolean {
    const grant = caller.grant();
    return grant !== undefined && canSee(grant, meta);
  }

  async open(caller: Caller, request: OpenTerminalRequest): Promise<SpawnResult | Refusal> {
    const refusal = this.denialReason(caller, "change");
    if (refusal !== undefined) return { ok: false, code: "forbidden", error: refusal };
    const { private: isPrivate, ...options } = request;
    const planned = this.#pool.plan({ ...options, isPrivate, lane: "user", lifetime: "user" });
    if (!planned.ok) return { ok: false, code: "spawn_failed", error: planned.error };
    const started = await this.#pool.start(planned.plan);
    if (!started.ok || caller.grant() !== undefined) return started;
    // Grant revoked during the spawn: kill the terminal and report the revocation.
    const terminal = this.#pool.get(started.terminal.id);
    if (terminal !== undefined) void this.#pool.close(terminal, "its link has ended");
    return { ok: false, code: "unauthorized", error: "This link has expired or was revoked" };
  }

  /** Kills a terminal and everything in it. Resolves when nothing of it is left. */
  async close(caller: Caller, terminal: PoolTerminal): Promise<Refusal | undefined> {
    const error = this.denialReason(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    const by = caller.door.name === "control" ? "the host" : callerDisplayName(caller);
    await this.#pool.close(terminal, `asked by ${caller.grantId}`, by);
    return undefined;
  }

  /** Renames the terminal for everyone; "" restores its own name. */
  rename(caller: Caller, terminal: PoolTerminal, name: string): Refusal | undefined {
    const error = this.denialReason(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
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
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    if (terminal.meta.owner === "agent") this.#pool.promote(terminal, toActor(caller));
    return undefined;
  }

  /** Returns why input is blocked; an agent's terminal takes it only after stepping in. */
  inputBlockedReason(caller: Caller, terminal: PoolTerminal): string | undefined {
    const refusal = this.denialReason(caller, "change");
    if (refusal !== undefined) return refusal;
    const { life, meta } = terminal;
    if (life.state === "finished") return "Session has ended";
    if (meta.owner === "user" || this.#deps.hasSteppedIn?.(caller, terminal) === true)
      return undefined;
    return meta.steppedIn === undefined
      ? "Input goes to user terminals only; step in first to type into an agent's (pty:step-in)"
      : `Input goes to user terminals only; ${meta.steppedIn.label} has stepped in to this one`;
  }

  /** Sends input to the terminal; does nothing if `inputBlockedReason` returns a reason. */
  type(caller: Caller, terminal: PoolTerminal, bytes: Uint8Array): void {
    if (this.inputBlockedReason(caller, terminal) !== undefined) return;
    this.#deps.onTyped?.(caller, terminal);
    this.#pastes.onTyped(caller, terminal, bytes);
    this.#pool.input(terminal, bytes);
  }

  /** Ends the pastes of a caller who left, or lost the right to type, in the middle of one. */
  onLeft(caller: Caller): void {
    for (const terminal of this.#pastes.take(caller)) {
      if (terminal.life.state === "running") this.#pool.input(terminal, toBytes(PASTE_END));
    }
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
