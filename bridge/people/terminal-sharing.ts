// Owns how far a person's terminal is shared: private (hidden from agents and view links), pinned
// in size, and whether agents may type into it. callers/permissions.ts decides who may see a
// terminal.

import type { TerminalEvent } from "../../protocol/terminal.ts";
import { limitCells } from "../../protocol/terminal.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { Caller } from "../callers/caller.ts";
import { toActor } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import { canSee } from "../callers/permissions.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import type { PeopleTerminals, Refusal } from "./people-terminals.ts";

export interface TerminalSharingDeps {
  readonly pool: Pick<TerminalPool, "updateMeta" | "running">;
  readonly people: Pick<PeopleTerminals, "denialReason">;
  readonly viewers: {
    findByCaller(caller: Caller): { readonly number: number } | undefined;
    detachMatching(terminal: PoolTerminal, whom: (caller: Caller) => boolean): void;
    pinSize(terminal: PoolTerminal, size: { cols: number; rows: number } | undefined): void;
  };
  readonly hub: Pick<Hub, "broadcast">;
  readonly grants: { list(): readonly Grant[] };
}

const NO_TYPING_AGENT =
  "No agent token can type. Create one: pairpty share --role agent --scopes read,spawn,type";

export class TerminalSharing {
  readonly #deps: TerminalSharingDeps;
  /** Callers who allow agents to type, by terminal id. */
  readonly #typingAllowedBy = new Map<string, Caller>();

  constructor(deps: TerminalSharingDeps) {
    this.#deps = deps;
    // The person who allowed agents to type under an earlier bridge may have left since.
    for (const terminal of deps.pool.running()) {
      const { agentsType } = terminal.meta;
      if (agentsType !== undefined && agentsType.peer !== null) this.#revokeTyping(terminal);
    }
  }

  setPrivate(caller: Caller, terminal: PoolTerminal, on: boolean): Refusal | undefined {
    const refused = this.#refusal(caller, terminal, "be private");
    if (refused !== undefined) return refused;
    const { meta } = terminal;
    if ((meta.private === true) === on) return undefined;
    const { pool, viewers, hub } = this.#deps;
    if (!on) {
      pool.updateMeta(terminal, { private: false }, toActor(caller));
      const isFor = (_caller: Caller, grant: Grant) =>
        !canSee(grant, meta) && canSee(grant, terminal.meta);
      hub.broadcast(encodeCreated(terminal), isFor);
      return undefined;
    }
    pool.updateMeta(terminal, { private: true, agentsType: undefined }, toActor(caller));
    viewers.detachMatching(terminal, (viewer) => {
      const grant = viewer.grant();
      return grant === undefined || !canSee(grant, terminal.meta);
    });
    const isFor = (_caller: Caller, grant: Grant) =>
      canSee(grant, meta) && !canSee(grant, terminal.meta);
    hub.broadcast(encodeClosed(terminal), isFor);
    return undefined;
  }

  /** Pins the terminal at the given size, or at its current one; `on` false unpins. */
  pin(
    caller: Caller,
    terminal: PoolTerminal,
    on: boolean,
    size: { readonly cols?: number | undefined; readonly rows?: number | undefined } = {},
  ): Refusal | undefined {
    const error = this.#deps.people.denialReason(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    const { pool, viewers } = this.#deps;
    const { cols = terminal.cols, rows = terminal.rows } = size;
    const pinned = on ? limitCells({ cols, rows }) : undefined;
    pool.updateMeta(terminal, { pinned }, toActor(caller));
    viewers.pinSize(terminal, pinned);
    return undefined;
  }

  /** Allows agents to type; `named` limits that to these grants, otherwise every agent with the scope may. */
  letAgentsType(
    caller: Caller,
    terminal: PoolTerminal,
    on: boolean,
    named?: readonly string[],
  ): Refusal | undefined {
    const refused = this.#refusal(caller, terminal, "be typed into by agents");
    if (refused !== undefined) return refused;
    if (!on) {
      if (terminal.meta.agentsType !== undefined) this.#revokeTyping(terminal, caller);
      return undefined;
    }
    if (terminal.meta.private === true) {
      const error = "This terminal is private: no agent sees it. Make it visible first";
      return { ok: false, code: "forbidden", error };
    }
    const grants = this.#deps.grants
      .list()
      .filter(({ id, role, scopes }) => {
        const isNamed = named === undefined || named.includes(id);
        return isNamed && role === "agent" && scopes.includes("type");
      })
      .map(({ id, label }) => ({ grant: id, label }));
    if (grants.length === 0) return { ok: false, code: "bad_request", error: NO_TYPING_AGENT };
    const peer = this.#deps.viewers.findByCaller(caller)?.number ?? null;
    if (peer !== null) this.#typingAllowedBy.set(terminal.id, caller);
    const agentsType = { grants, by: caller.grantId, peer };
    this.#deps.pool.updateMeta(terminal, { agentsType }, toActor(caller));
    return undefined;
  }

  /** Sends the terminals that a caller gained or lost sight of when its grant changed. */
  onVisibilityChanged(caller: Caller, before: Grant): void {
    const grant = caller.grant();
    if (grant === undefined) return;
    for (const terminal of this.#deps.pool.running()) {
      const isSeen = canSee(grant, terminal.meta);
      if (isSeen === canSee(before, terminal.meta)) continue;
      if (!isSeen) this.#deps.viewers.detachMatching(terminal, (viewer) => viewer === caller);
      caller.send(isSeen ? encodeCreated(terminal) : encodeClosed(terminal));
    }
  }

  /** Ends a caller's permission for agents to type when that caller leaves. */
  onLeft(caller: Caller): void {
    for (const terminal of this.#deps.pool.running()) {
      if (this.#typingAllowedBy.get(terminal.id) === caller) this.#revokeTyping(terminal);
    }
  }

  #revokeTyping(terminal: PoolTerminal, by?: Caller): void {
    this.#typingAllowedBy.delete(terminal.id);
    this.#deps.pool.updateMeta(terminal, { agentsType: undefined }, by && toActor(by));
  }

  #refusal(caller: Caller, terminal: PoolTerminal, what: string): Refusal | undefined {
    const error = this.#deps.people.denialReason(caller, "change");
    if (error !== undefined) return { ok: false, code: "forbidden", error };
    if (terminal.meta.owner === "user") return undefined;
    return { ok: false, code: "forbidden", error: `An agent's own terminal cannot ${what}` };
  }
}

/** Returns a `created` event, for callers that gain sight of a terminal. */
function encodeCreated(terminal: PoolTerminal): string {
  return encode({ type: "terminal", event: "created", terminal: describeTerminal(terminal) });
}

/** Returns a `closed` event with the required fields only, for callers that lose sight. */
function encodeClosed({ id, meta }: PoolTerminal): string {
  const { owner, visible, createdAt } = meta;
  const terminal = { id, cwd: "", owner, visible, createdAt };
  return encode({ type: "terminal", event: "closed", terminal });
}

function encode(event: TerminalEvent): string {
  return JSON.stringify(event);
}
