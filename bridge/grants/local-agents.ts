// Owns the identity of local agents: one agent per name, however often it connects. Its grant
// outlives its last connection for a while, and a takeover, so that it finds its own terminals
// again.

import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import type { GrantTable } from "./grant-table.ts";
import { LOCAL_GRACE_MS } from "./grant-table.ts";

/**
 * Disconnected agents that keep their grant. Names are free to invent, while all grants share the
 * limit of 256 (MAX_GRANTS): with every local socket full (local/local-socket.ts), 16 leaves 48 for
 * links. A person runs a handful of agents.
 */
export const MAX_DISCONNECTED = 16;

const MAX_NAME = 80;
const DEFAULT_NAME = "local agent";

export interface LocalAgentConnection {
  readonly grantId: string;
  /** Ends the connection; further calls do nothing. */
  readonly disconnect: () => void;
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

  connect(name: string | undefined): LocalAgentConnection {
    const grantId = this.#getOrMintGrant(cleanName(name));
    this.#connected.set(grantId, (this.#connected.get(grantId) ?? 0) + 1);
    this.#grants.renew(grantId, null);
    let isHere = true;
    return {
      grantId,
      disconnect: () => {
        if (!isHere) return;
        isHere = false;
        this.#onDisconnected(grantId);
      },
    };
  }

  #getOrMintGrant(name: string): string {
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

  #onDisconnected(grantId: string): void {
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
    const over = gone.slice(0, -MAX_DISCONNECTED);
    for (const { id } of over) this.#grants.renew(id, this.#now());
    if (over.length > 0) this.#grants.expire();
  }
}

/** Cleans a client's name into a one-line label without control characters. */
function cleanName(name: string | undefined): string {
  const plain = (name ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return plain.slice(0, MAX_NAME).trim() || DEFAULT_NAME;
}
