// Owns a person's stepping in to an agent's terminal: who has, whose input reaches it, and when the
// agent gets it back. reading/withheld.ts decides which output agents do not get. The pty host
// keeps the state for the next bridge.

import type { PtyForeground } from "../../protocol/pty.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { calledOf, who } from "../callers/caller.ts";
import { whyNot } from "../callers/rights.ts";
import { Ends } from "../ends.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { Foreground } from "../processes/foreground.ts";
import { handedBack } from "../reading/withheld.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Meta, PoolTerminal } from "../terminals/terminal.ts";
import { briefly } from "../terminals/terminal.ts";
import { unlessUnavailable } from "../terminals/unavailable.ts";
import type { Refused } from "./service.ts";

/** Time for a person to come back after a reload or a network failure. */
export const GONE_MS = 60_000;

/**
 * The echo of the last input arrives a moment later: hiding ends once nothing was printed for this
 * long, or after `MOST_LOOKS` tries if the program prints all the time.
 */
const QUIET_MS = 100;
const MOST_LOOKS = 10;

const THE_END = Number.MAX_SAFE_INTEGER;

export interface SteppingInParts {
  readonly pool: Pick<
    TerminalPool,
    "fetch" | "get" | "note" | "onActivity" | "onEvent" | "running"
  >;
  readonly viewers: { of(caller: Caller): { readonly number: number } | undefined };
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  readonly foregroundOf: (leader: number) => Foreground;
  /** Sends the person which program reads their input. */
  readonly tell: (caller: Caller, foreground: Omit<PtyForeground, "type">) => void;
  readonly goneMs?: number;
  readonly quietMs?: number;
}

type Stepped = NonNullable<Meta["steppedIn"]>;

/** Why a terminal was handed back, for the audit log. */
type Why = "by the person" | "the person is gone" | "the terminal ended";

export class SteppingIn {
  readonly #parts: SteppingInParts;
  /** By terminal id: the caller that has stepped in and is connected. */
  readonly #here = new Map<string, Caller>();
  /** By terminal id: timer that hands it back because the person is gone. */
  readonly #gone = new Map<string, NodeJS.Timeout>();
  /** Terminals being handed back: until that is done, no one's input reaches them. */
  readonly #ending = new Set<string>();
  /** By terminal id: the last foreground message sent to the person, as JSON. */
  readonly #told = new Map<string, string>();
  readonly #ends = new Ends();

  constructor(parts: SteppingInParts) {
    this.#parts = parts;
    const { pool } = parts;
    for (const terminal of pool.running()) {
      if (terminal.meta.steppedIn !== undefined) this.#awaitReturn(terminal);
    }
    this.#ends.own(
      pool.onActivity((terminal) => this.#tellForeground(terminal)),
      pool.onEvent(({ event, terminal: { id } }) => {
        const terminal = event === "closed" ? pool.get(id) : undefined;
        if (terminal !== undefined) this.#onEnded(terminal);
      }),
    );
  }

  dispose(): void {
    this.#ends.dispose();
    for (const timer of this.#gone.values()) clearTimeout(timer);
    this.#gone.clear();
  }

  /** Whether this caller's input goes to this agent's terminal. */
  holds(caller: Caller, { id }: PoolTerminal): boolean {
    return this.#here.get(id) === caller;
  }

  async stepIn(caller: Caller, terminal: PoolTerminal): Promise<Refused | undefined> {
    const peer = this.#parts.viewers.of(caller)?.number;
    const grant = caller.grant();
    const refusal = this.#whyNoStepIn(caller, terminal);
    if (refusal !== undefined) return forbidden(refusal);
    if (grant === undefined || peer === undefined || this.holds(caller, terminal)) return undefined;
    const begin = (end: number): Refused | undefined => {
      const meanwhile = this.#whyNoStepIn(caller, terminal);
      if (meanwhile !== undefined) return forbidden(meanwhile);
      if (this.#parts.viewers.of(caller)?.number !== peer) return undefined;
      const since = terminal.meta.steppedIn?.since ?? end;
      const steppedIn: Stepped = { since, grant: caller.grantId, label: calledOf(caller), peer };
      this.#isBack(terminal, caller);
      this.#parts.pool.note(terminal, { steppedIn });
      this.#parts.audit.write({ event: "stepped in", ...who(caller), terminal: terminal.id });
      this.#tellForeground(terminal);
      return undefined;
    };
    // Output so far is still visible to the agent; the echo of later input comes after it.
    return await this.#atEnd(terminal, begin, forbidden("Session has ended"));
  }

  async handBack(
    caller: Caller,
    terminal: PoolTerminal,
    isHidden: boolean,
  ): Promise<Refused | undefined> {
    const refusal = whyNot(caller, "change");
    if (refusal !== undefined) return forbidden(refusal);
    if (!this.holds(caller, terminal)) return forbidden("You have not stepped in here");
    await this.#handBack(terminal, isHidden, "by the person");
    return undefined;
  }

  /** Restores a caller's stepping in when it reconnects, after a cut or under the next bridge. */
  joined(caller: Caller): void {
    const peer = this.#parts.viewers.of(caller)?.number;
    for (const terminal of this.#parts.pool.running()) {
      const { steppedIn } = terminal.meta;
      if (steppedIn === undefined || this.#ending.has(terminal.id)) continue;
      if (steppedIn.grant !== caller.grantId || steppedIn.peer !== peer) continue;
      this.#isBack(terminal, caller);
      this.#tellForeground(terminal);
    }
  }

  left(caller: Caller): void {
    for (const terminal of this.#parts.pool.running()) {
      if (this.holds(caller, terminal)) this.#leave(terminal);
    }
  }

  #whyNoStepIn(caller: Caller, terminal: PoolTerminal): string | undefined {
    const refusal = whyNot(caller, "change");
    if (refusal !== undefined) return refusal;
    const { id, meta, life } = terminal;
    if (life.state !== "running") return "Session has ended";
    if (meta.owner === "user")
      return "This is a user's terminal: you can type into it without stepping in";
    if (meta.feed === true)
      return "This terminal only shows the output of an agent's commands: no program in it reads input";
    if (this.#ending.has(id)) return "This terminal is being handed back; try again in a moment";
    const { steppedIn } = meta;
    if (steppedIn === undefined || this.holds(caller, terminal)) return undefined;
    // The same link on a new socket, as after a reload, once the first one is gone.
    const isOwn = steppedIn.grant === caller.grantId && !this.#here.has(id);
    return isOwn ? undefined : `${steppedIn.label} has stepped in here already`;
  }

  #isBack({ id }: PoolTerminal, caller: Caller): void {
    clearTimeout(this.#gone.get(id));
    this.#gone.delete(id);
    this.#here.set(id, caller);
    this.#told.delete(id);
  }

  #leave(terminal: PoolTerminal): void {
    this.#here.delete(terminal.id);
    this.#awaitReturn(terminal);
  }

  /** Hands the terminal back later, with hidden output: the person is not here to decide. */
  #awaitReturn(terminal: PoolTerminal): void {
    const end = () => {
      this.#gone.delete(terminal.id);
      this.#handBack(terminal, true, "the person is gone").catch((error: unknown) =>
        logFault(this.#parts.log, `handing back ${terminal.id}`, error),
      );
    };
    clearTimeout(this.#gone.get(terminal.id));
    this.#gone.set(terminal.id, setTimeout(end, this.#parts.goneMs ?? GONE_MS).unref());
  }

  async #handBack(terminal: PoolTerminal, isHidden: boolean, why: Why): Promise<void> {
    const { id } = terminal;
    const { steppedIn } = terminal.meta;
    if (steppedIn === undefined || this.#ending.has(id)) return;
    this.#here.delete(id);
    this.#ending.add(id);
    try {
      const end = isHidden ? await this.#quietEnd(terminal) : steppedIn.since;
      // The terminal ended, or is about to: output that was not handed back stays hidden.
      if (end === undefined || terminal.meta.steppedIn !== steppedIn) return;
      this.#settle(terminal, steppedIn, end, isHidden, why);
    } finally {
      this.#ending.delete(id);
    }
  }

  #onEnded(terminal: PoolTerminal): void {
    const { life, meta } = terminal;
    clearTimeout(this.#gone.get(terminal.id));
    this.#gone.delete(terminal.id);
    this.#here.delete(terminal.id);
    if (meta.steppedIn === undefined || life.state !== "finished") return;
    this.#settle(terminal, meta.steppedIn, life.end, true, "the terminal ended");
  }

  #settle(
    terminal: PoolTerminal,
    { since, grant, label }: Stepped,
    end: number,
    isHidden: boolean,
    why: Why,
  ): void {
    this.#told.delete(terminal.id);
    this.#parts.pool.note(terminal, handedBack(terminal.meta, end, isHidden));
    this.#parts.audit.write({
      event: "handed back",
      grant,
      label,
      terminal: terminal.id,
      arguments: { hidden: isHidden, ...(isHidden ? { bytes: Math.max(0, end - since) } : {}) },
      outcome: why,
    });
  }

  /** Runs `act` with the output's end, before any later read; `gone` if the pty host is gone. */
  async #atEnd<T>(terminal: PoolTerminal, act: (end: number) => T, gone: T): Promise<T> {
    const done = this.#parts.pool.fetch(terminal, THE_END, 0, ({ offset }) => act(offset));
    return await unlessUnavailable(done, () => gone);
  }

  async #endOf(terminal: PoolTerminal): Promise<number | undefined> {
    return await this.#atEnd<number | undefined>(terminal, (end) => end, undefined);
  }

  async #quietEnd(terminal: PoolTerminal): Promise<number | undefined> {
    let end = await this.#endOf(terminal);
    for (let look = 0; look < MOST_LOOKS && end !== undefined; look++) {
      await new Promise((resolve) => setTimeout(resolve, this.#parts.quietMs ?? QUIET_MS).unref());
      const next = await this.#endOf(terminal);
      if (next === end) return end;
      end = next;
    }
    return end;
  }

  #tellForeground(terminal: PoolTerminal): void {
    const { id, pid, meta } = terminal;
    const caller = this.#here.get(id);
    if (caller === undefined || meta.steppedIn === undefined) return;
    const program = this.#parts.foregroundOf(pid).front.at(-1);
    const { startedBy } = meta;
    const foreground = {
      id,
      program: program === undefined || program.path === "" ? null : program.path,
      command: briefly(program?.argv ?? []),
      ...(startedBy === undefined ? {} : { startedBy: startedBy.label || startedBy.grant }),
    };
    const told = JSON.stringify(foreground);
    if (this.#told.get(id) === told) return;
    this.#told.set(id, told);
    this.#parts.tell(caller, foreground);
  }
}

function forbidden(error: string): Refused {
  return { ok: false, code: "forbidden", error };
}
