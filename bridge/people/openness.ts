// Owns how far a person's terminal is shared: private (hidden from agents and view links), pinned
// in size, and whether agents may type into it. callers/sight.ts decides who may see a terminal.

import type { TerminalEvent } from "../../protocol/terminal.ts";
import { withinCells } from "../../protocol/terminal.ts";
import type { Grant } from "../grants/table.ts";
import type { Caller } from "../callers/caller.ts";
import { doerOf } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import { maySee } from "../callers/sight.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describe } from "../terminals/terminal.ts";
import type { PeopleTerminals, Refused } from "./service.ts";

export interface OpennessParts {
  readonly pool: Pick<TerminalPool, "note" | "running">;
  readonly people: Pick<PeopleTerminals, "whyNot">;
  readonly viewers: {
    of(caller: Caller): { readonly number: number } | undefined;
    dismiss(terminal: PoolTerminal, whom: (caller: Caller) => boolean): void;
    pinned(terminal: PoolTerminal, size: { cols: number; rows: number } | undefined): void;
  };
  readonly hub: Pick<Hub, "tell">;
  readonly grants: { list(): readonly Grant[] };
}

const NO_TYPIST =
  "No agent token can type. Create one: pairpty share --role agent --scopes read,spawn,type";

export class Openness {
  readonly #parts: OpennessParts;
  /** Callers who let agents type, by terminal id. */
  readonly #letBy = new Map<string, Caller>();

  constructor(parts: OpennessParts) {
    this.#parts = parts;
    // The person who let agents type under an earlier bridge may have left since.
    for (const terminal of parts.pool.running()) {
      const { agentsType } = terminal.meta;
      if (agentsType !== undefined && agentsType.peer !== null) this.#end(terminal);
    }
  }

  setPrivate(caller: Caller, terminal: PoolTerminal, on: boolean): Refused | undefined {
    const refused = this.#refusal(caller, terminal, "be private");
    if (refused !== undefined) return refused;
    const { meta } = terminal;
    if ((meta.private === true) === on) return undefined;
    const { pool, viewers, hub } = this.#parts;
    if (!on) {
      pool.note(terminal, { private: false }, doerOf(caller));
      const isFor = (_caller: Caller, grant: Grant) =>
        !maySee(grant, meta) && maySee(grant, terminal.meta);
      hub.tell(cameWords(terminal), isFor);
      return undefined;
    }
    pool.note(terminal, { private: true, agentsType: undefined }, doerOf(caller));
    viewers.dismiss(terminal, (viewer) => {
      const grant = viewer.grant();
      return grant === undefined || !maySee(grant, terminal.meta);
    });
    const isFor = (_caller: Caller, grant: Grant) =>
      maySee(grant, meta) && !maySee(grant, terminal.meta);
    hub.tell(wentWords(terminal), isFor);
    return undefined;
  }

  /** Pins the terminal at the given size, or at its current one; `on` false unpins. */
  pin(
    caller: Caller,
    terminal: PoolTerminal,
    on: boolean,
    size: { readonly cols?: number | undefined; readonly rows?: number | undefined } = {},
  ): Refused | undefined {
    const error = this.#parts.people.whyNot(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    const { pool, viewers } = this.#parts;
    const { cols = terminal.cols, rows = terminal.rows } = size;
    const pinned = on ? withinCells({ cols, rows }) : undefined;
    pool.note(terminal, { pinned }, doerOf(caller));
    viewers.pinned(terminal, pinned);
    return undefined;
  }

  /** Lets agents type; `named` limits it to these grants, else every agent that may type. */
  letAgentsType(
    caller: Caller,
    terminal: PoolTerminal,
    on: boolean,
    named?: readonly string[],
  ): Refused | undefined {
    const refused = this.#refusal(caller, terminal, "be typed into by agents");
    if (refused !== undefined) return refused;
    if (!on) {
      if (terminal.meta.agentsType !== undefined) this.#end(terminal, caller);
      return undefined;
    }
    if (terminal.meta.private === true) {
      const error = "This terminal is private: no agent sees it. Make it visible first";
      return { ok: false, code: "forbidden", error };
    }
    const grants = this.#parts.grants
      .list()
      .filter(({ id, role, scopes }) => {
        const isNamed = named === undefined || named.includes(id);
        return isNamed && role === "agent" && scopes.includes("type");
      })
      .map(({ id, label }) => ({ grant: id, label }));
    if (grants.length === 0) return { ok: false, code: "bad_request", error: NO_TYPIST };
    const peer = this.#parts.viewers.of(caller)?.number ?? null;
    if (peer !== null) this.#letBy.set(terminal.id, caller);
    const agentsType = { grants, by: caller.grantId, peer };
    this.#parts.pool.note(terminal, { agentsType }, doerOf(caller));
    return undefined;
  }

  /** Sends the terminals that a caller gained or lost sight of when its grant changed. */
  sightChanged(caller: Caller, before: Grant): void {
    const grant = caller.grant();
    if (grant === undefined) return;
    for (const terminal of this.#parts.pool.running()) {
      const isSeen = maySee(grant, terminal.meta);
      if (isSeen === maySee(before, terminal.meta)) continue;
      if (!isSeen) this.#parts.viewers.dismiss(terminal, (viewer) => viewer === caller);
      caller.tell(isSeen ? cameWords(terminal) : wentWords(terminal));
    }
  }

  /** Ends a caller's permission for agents to type when that caller leaves. */
  left(caller: Caller): void {
    for (const terminal of this.#parts.pool.running()) {
      if (this.#letBy.get(terminal.id) === caller) this.#end(terminal);
    }
  }

  #end(terminal: PoolTerminal, by?: Caller): void {
    this.#letBy.delete(terminal.id);
    this.#parts.pool.note(terminal, { agentsType: undefined }, by && doerOf(by));
  }

  #refusal(caller: Caller, terminal: PoolTerminal, what: string): Refused | undefined {
    const error = this.#parts.people.whyNot(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    if (terminal.meta.owner === "user") return undefined;
    return { ok: false, code: "forbidden", error: `An agent's own terminal cannot ${what}` };
  }
}

/** Returns a `created` event, for callers that gain sight of a terminal. */
function cameWords(terminal: PoolTerminal): string {
  return words({ type: "terminal", event: "created", terminal: describe(terminal) });
}

/** Returns a `closed` event with the required fields only, for callers that lose sight. */
function wentWords({ id, meta }: PoolTerminal): string {
  const { owner, visible, createdAt } = meta;
  const terminal = { id, cwd: "", owner, visible, createdAt };
  return words({ type: "terminal", event: "closed", terminal });
}

function words(event: TerminalEvent): string {
  return JSON.stringify(event);
}
