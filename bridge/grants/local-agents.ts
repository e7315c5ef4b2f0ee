// Owns the identity of local agents: one agent per name, however often it connects. Its grant
// outlives its last connection for a while, and a takeover, so that it finds its own terminals
// again.

import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import type { GrantTable } from "./table.ts";
import { LOCAL_GRACE_MS } from "./table.ts";

/**
 * Disconnected agents that keep their grant. Names are free to invent, while all grants share the
 * limit of 256 (MAX_GRANTS): with every local socket full (local/socket.ts), 16 leaves 48 for
 * links. A person runs a handful of agents.
 */
export const MOST_GONE = 16;

const MOST_NAME = 80;
const NAMELESS = "local agent";

export interface Arrived {
  readonly grantId: string;
  /** Ends the connection; further calls do nothing. */
  readonly leave: () => void;
}

type Grants = Pick<GrantTable, "expire" | "list" | "mint" | "renew">;

export class LocalAgents {
  readonly #grants: Grants;
  readonly #now: () => number;
  /** Number of connections by grant. */
  readonly #connected = new Map<string, number>();

  constructor(grants: Grants, now: () => number = Date.now) {
    this.#grants = grants;
    this.#now = now;
  }

  arrive(name: string | undefined): Arrived {
    const grantId = this.#grantOf(nameFrom(name));
    this.#connected.set(grantId, (this.#connected.get(grantId) ?? 0) + 1);
    this.#grants.renew(grantId, null);
    let isHere = true;
    return {
      grantId,
      leave: () => {
        if (!isHere) return;
        isHere = false;
        this.#left(grantId);
      },
    };
  }

  #grantOf(name: string): string {
    const known = this.#grants.list().find(({ local }) => local === name);
    if (known !== undefined) return known.id;
    const { grant } = this.#grants.mint({
      role: "agent",
      scopes: [...DEFAULT_SCOPES],
      label: name,
      expiresAt: null,
      session: true,
      local: name,
    });
    return grant.id;
  }

  #left(grantId: string): void {
    const left = (this.#connected.get(grantId) ?? 1) - 1;
    if (left > 0) {
      this.#connected.set(grantId, left);
      return;
    }
    this.#connected.delete(grantId);
    this.#grants.renew(grantId, this.#now() + LOCAL_GRACE_MS);
    this.#endOldest();
  }

  /** Expires the grants of agents that disconnected longest ago; never those of connected ones. */
  #endOldest(): void {
    const gone = this.#grants
      .list()
      .filter(({ id, local }) => local !== undefined && !this.#connected.has(id))
      .toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
    const over = gone.slice(0, -MOST_GONE);
    for (const { id } of over) this.#grants.renew(id, this.#now());
    if (over.length > 0) this.#grants.expire();
  }
}

/** Cleans a client's name into a one-line label without control characters. */
function nameFrom(name: string | undefined): string {
  const plain = (name ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return plain.slice(0, MOST_NAME).trim() || NAMELESS;
}
