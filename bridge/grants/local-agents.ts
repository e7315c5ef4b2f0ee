// Owns who a local agent is: one agent per name, however often it connects. Its grant lasts for a
// while beyond its last connection, and over a takeover, so that it finds its own terminals again.

import { DEFAULT_SCOPES } from "../../protocol/grant.ts";
import type { GrantTable } from "./table.ts";
import { LOCAL_GRACE_MS } from "./table.ts";

const MOST_NAME = 80;
const NAMELESS = "local agent";

export interface Arrived {
  readonly grantId: string;
  /** The connection is over; calling it twice is once. */
  readonly leave: () => void;
}

export class LocalAgents {
  readonly #grants: Pick<GrantTable, "list" | "mint" | "renew">;
  readonly #now: () => number;
  /** Connections by grant. */
  readonly #connected = new Map<string, number>();

  constructor(grants: Pick<GrantTable, "list" | "mint" | "renew">, now: () => number = Date.now) {
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
  }
}

/** What a client calls itself may be anything; a label is one line that moves no cursor. */
function nameFrom(name: string | undefined): string {
  const plain = (name ?? "").replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return plain.slice(0, MOST_NAME).trim() || NAMELESS;
}
