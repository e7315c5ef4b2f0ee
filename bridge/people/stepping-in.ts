// Owns a person's stepping in to an agent's terminal: who has, whose input reaches it, and when the
// agent gets it back. reading/withheld-output.ts decides which output agents do not get. The pty
// host keeps the state for the next bridge.

import { grantName } from "../../protocol/names.ts";
import type { PtyForeground } from "../../protocol/pty.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Caller } from "../callers/caller.ts";
import { callerDisplayName, toAuditName } from "../callers/caller.ts";
import { permissionDenial } from "../callers/permissions.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { Foreground } from "../processes/foreground.ts";
import { toHandedBackMeta } from "../reading/withheld-output.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Meta, PoolTerminal } from "../terminals/terminal.ts";
import { abbreviateCommand } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Refusal } from "./people-terminals.ts";

/** Time for a person to come back after a reload or a network failure. */
export const RETURN_TIMEOUT_MS = 60_000;

/**
 * The echo of the last input arrives a moment later: hiding ends once nothing was printed for this
 * long, or after `MAX_QUIET_CHECKS` tries if the program prints all the time.
 */
const QUIET_MS = 100;
const MAX_QUIET_CHECKS = 10;

const END_OF_STREAM = Number.MAX_SAFE_INTEGER;

export interface SteppingInDeps {
  readonly pool: Pick<
    TerminalPool,
    "fetch" | "get" | "updateMeta" | "onActivity" | "onEvent" | "running"
  >;
  readonly viewers: { findByCaller(caller: Caller): { readonly number: number } | undefined };
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  readonly findForeground: (leader: number) => Foreground;
  /** Sends the person which program reads their input. */
  readonly sendForeground: (caller: Caller, foreground: Omit<PtyForeground, "type">) => void;
  readonly returnTimeoutMs?: number;
  readonly quietMs?: number;
}

type SteppedIn = NonNullable<Meta["steppedIn"]>;

/** Why a terminal was handed back, for the audit log. */
type HandBackReason = "by the person" | "the person is gone" | "the terminal ended";

export class SteppingIn {
  readonly #deps: SteppingInDeps;
  /** Keyed by terminal id: the connected caller that has stepped in. */
  readonly #callers = new Map<string, Caller>();
  /** Keyed by terminal id: the timer that hands the terminal back because the person is gone. */
  readonly #returnTimers = new Map<string, NodeJS.Timeout>();
  /** Terminals being handed back: until that is done, no one's input reaches them. */
  readonly #handingBack = new Set<string>();
  /** Keyed by terminal id: the last foreground message sent to the person, as JSON. */
  readonly #sentForeground = new Map<string, string>();
  readonly #disposables = new DisposableStore();

  constructor(deps: SteppingInDeps) {
    this.#deps = deps;
    const { pool } = deps;
    for (const terminal of pool.running()) {
      if (terminal.meta.steppedIn !== undefined) this.#awaitReturn(terminal);
    }
    this.#disposables.add(
      pool.onActivity((terminal) => this.#sendForegroundChange(terminal)),
      pool.onEvent(({ event, terminal: { id } }) => {
        const terminal = event === "closed" ? pool.get(id) : undefined;
        if (terminal !== undefined) this.#onEnded(terminal);
      }),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
    for (const timer of this.#returnTimers.values()) clearTimeout(timer);
    this.#returnTimers.clear();
  }

  /** Whether this caller's input goes to this agent's terminal. */
  hasSteppedIn(caller: Caller, { id }: PoolTerminal): boolean {
    return this.#callers.get(id) === caller;
  }

  async stepIn(caller: Caller, terminal: PoolTerminal): Promise<Refusal | undefined> {
    const peer = this.#deps.viewers.findByCaller(caller)?.number;
    const grant = caller.grant();
    const refusal = this.#stepInDenialReason(caller, terminal);
    if (refusal !== undefined) return toForbidden(refusal);
    if (grant === undefined || peer === undefined || this.hasSteppedIn(caller, terminal))
      return undefined;
    const begin = (end: number): Refusal | undefined => {
      const refusalNow = this.#stepInDenialReason(caller, terminal);
      if (refusalNow !== undefined) return toForbidden(refusalNow);
      if (this.#deps.viewers.findByCaller(caller)?.number !== peer) return undefined;
      const since = terminal.meta.steppedIn?.since ?? end;
      const steppedIn: SteppedIn = {
        since,
        grant: caller.grantId,
        label: callerDisplayName(caller),
        peer,
      };
      this.#setCaller(terminal, caller);
      this.#deps.pool.updateMeta(terminal, { steppedIn });
      this.#deps.audit.write({
        event: "stepped in",
        ...toAuditName(caller),
        terminal: terminal.id,
      });
      this.#sendForegroundChange(terminal);
      return undefined;
    };
    // Output so far is still visible to the agent; the echo of later input comes after it.
    return await this.#runAtEnd(terminal, begin, toForbidden("Session has ended"));
  }

  async handBack(
    caller: Caller,
    terminal: PoolTerminal,
    isHidden: boolean,
  ): Promise<Refusal | undefined> {
    const refusal = permissionDenial(caller, "change");
    if (refusal !== undefined) return toForbidden(refusal);
    if (!this.hasSteppedIn(caller, terminal)) return toForbidden("You have not stepped in here");
    await this.#handBack(terminal, isHidden, "by the person");
    return undefined;
  }

  /** Restores a caller's stepping in when it reconnects, after a cut or under the next bridge. */
  onJoined(caller: Caller): void {
    const peer = this.#deps.viewers.findByCaller(caller)?.number;
    for (const terminal of this.#deps.pool.running()) {
      const { steppedIn } = terminal.meta;
      if (steppedIn === undefined || this.#handingBack.has(terminal.id)) continue;
      if (steppedIn.grant !== caller.grantId || steppedIn.peer !== peer) continue;
      this.#setCaller(terminal, caller);
      this.#sendForegroundChange(terminal);
    }
  }

  onLeft(caller: Caller): void {
    for (const terminal of this.#deps.pool.running()) {
      if (this.hasSteppedIn(caller, terminal)) this.#leave(terminal);
    }
  }

  #stepInDenialReason(caller: Caller, terminal: PoolTerminal): string | undefined {
    const refusal = permissionDenial(caller, "change");
    if (refusal !== undefined) return refusal;
    const { id, meta, life } = terminal;
    if (life.state !== "running") return "Session has ended";
    if (meta.owner === "user")
      return "This is a user's terminal: you can type into it without stepping in";
    if (meta.feed === true)
      return "This terminal only shows the output of an agent's commands: no program in it reads input";
    if (this.#handingBack.has(id))
      return "This terminal is being handed back; try again in a moment";
    const { steppedIn } = meta;
    if (steppedIn === undefined || this.hasSteppedIn(caller, terminal)) return undefined;
    // The same link on a new socket, as after a reload, once the old socket is gone.
    const isOwn = steppedIn.grant === caller.grantId && !this.#callers.has(id);
    return isOwn ? undefined : `${steppedIn.label} has stepped in here already`;
  }

  #setCaller({ id }: PoolTerminal, caller: Caller): void {
    clearTimeout(this.#returnTimers.get(id));
    this.#returnTimers.delete(id);
    this.#callers.set(id, caller);
    this.#sentForeground.delete(id);
  }

  #leave(terminal: PoolTerminal): void {
    this.#callers.delete(terminal.id);
    this.#awaitReturn(terminal);
  }

  /** Hands the terminal back later, with hidden output: the person is not here to decide. */
  #awaitReturn(terminal: PoolTerminal): void {
    const end = () => {
      this.#returnTimers.delete(terminal.id);
      this.#handBack(terminal, true, "the person is gone").catch((error: unknown) =>
        logFault(this.#deps.log, `handing back ${terminal.id}`, error),
      );
    };
    clearTimeout(this.#returnTimers.get(terminal.id));
    this.#returnTimers.set(
      terminal.id,
      setTimeout(end, this.#deps.returnTimeoutMs ?? RETURN_TIMEOUT_MS).unref(),
    );
  }

  async #handBack(terminal: PoolTerminal, isHidden: boolean, why: HandBackReason): Promise<void> {
    const { id } = terminal;
    const { steppedIn } = terminal.meta;
    if (steppedIn === undefined || this.#handingBack.has(id)) return;
    this.#callers.delete(id);
    this.#handingBack.add(id);
    try {
      const end = isHidden ? await this.#waitForQuietEnd(terminal) : steppedIn.since;
      // The terminal ended, or is about to: output that was not handed back stays hidden.
      if (end === undefined || terminal.meta.steppedIn !== steppedIn) return;
      this.#finish(terminal, steppedIn, end, isHidden, why);
    } finally {
      this.#handingBack.delete(id);
    }
  }

  #onEnded(terminal: PoolTerminal): void {
    const { life, meta } = terminal;
    clearTimeout(this.#returnTimers.get(terminal.id));
    this.#returnTimers.delete(terminal.id);
    this.#callers.delete(terminal.id);
    if (meta.steppedIn === undefined || life.state !== "finished") return;
    this.#finish(terminal, meta.steppedIn, life.end, true, "the terminal ended");
  }

  #finish(
    terminal: PoolTerminal,
    { since, grant, label }: SteppedIn,
    end: number,
    isHidden: boolean,
    why: HandBackReason,
  ): void {
    this.#sentForeground.delete(terminal.id);
    this.#deps.pool.updateMeta(terminal, toHandedBackMeta(terminal.meta, end, isHidden));
    this.#deps.audit.write({
      event: "handed back",
      grant,
      label,
      terminal: terminal.id,
      arguments: { hidden: isHidden, ...(isHidden ? { bytes: Math.max(0, end - since) } : {}) },
      outcome: why,
    });
  }

  /** Runs `act` with the output's end, before any later read; `gone` if the pty host is gone. */
  async #runAtEnd<T>(terminal: PoolTerminal, act: (end: number) => T, gone: T): Promise<T> {
    const done = this.#deps.pool.fetch(terminal, END_OF_STREAM, 0, ({ offset }) => act(offset));
    return await unlessUnavailable(done, () => gone);
  }

  async #getEnd(terminal: PoolTerminal): Promise<number | undefined> {
    return await this.#runAtEnd<number | undefined>(terminal, (end) => end, undefined);
  }

  async #waitForQuietEnd(terminal: PoolTerminal): Promise<number | undefined> {
    let end = await this.#getEnd(terminal);
    for (let look = 0; look < MAX_QUIET_CHECKS && end !== undefined; look++) {
      await new Promise((resolve) => setTimeout(resolve, this.#deps.quietMs ?? QUIET_MS).unref());
      const next = await this.#getEnd(terminal);
      if (next === end) return end;
      end = next;
    }
    return end;
  }

  #sendForegroundChange(terminal: PoolTerminal): void {
    const { id, pid, meta } = terminal;
    const caller = this.#callers.get(id);
    if (caller === undefined || meta.steppedIn === undefined) return;
    const program = this.#deps.findForeground(pid).front.at(-1);
    const { startedBy } = meta;
    const foreground = {
      id,
      program: program === undefined || program.path === "" ? null : program.path,
      command: abbreviateCommand(program?.argv ?? []),
      ...(startedBy === undefined ? {} : { startedBy: grantName(startedBy) }),
    };
    const encoded = JSON.stringify(foreground);
    if (this.#sentForeground.get(id) === encoded) return;
    this.#sentForeground.set(id, encoded);
    this.#deps.sendForeground(caller, foreground);
  }
}

function toForbidden(error: string): Refusal {
  return { ok: false, code: "forbidden", error };
}
