// Owns which requests of a local agent are not answered yet: so many and no more, each with an id of
// its own. What waits costs the bridge memory, and the SDK takes whatever comes. Pure.

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { INVALID_REQUEST } from "@modelcontextprotocol/server";

/** As many as a coding agent has (dialects/acp/connect.ts). */
export const MOST_UNDER_WAY = 64;
/** Of those that JSON-RPC leaves to servers. */
const TOO_MANY = -32_000;

export interface Refusal {
  readonly id: string | number;
  readonly code: number;
  readonly message: string;
}

export class UnderWay {
  readonly #ids = new Set<unknown>();

  /** Takes note of what the agent said. A request that may not begin is refused. */
  heard(message: JSONRPCMessage): Refusal | undefined {
    if (!("method" in message)) return undefined;
    if (!("id" in message)) {
      // It is not answered any more.
      if (message.method === "notifications/cancelled")
        this.#ids.delete(message.params?.["requestId"]);
      return undefined;
    }
    const { id } = message;
    if (this.#ids.has(id)) {
      return { id, code: INVALID_REQUEST, message: "Another request with this id is under way" };
    }
    if (this.#ids.size >= MOST_UNDER_WAY) {
      const most = `${MOST_UNDER_WAY} requests are under way; wait for one to end`;
      return { id, code: TOO_MANY, message: most };
    }
    this.#ids.add(id);
    return undefined;
  }

  /** Takes note of what the agent is sent. */
  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#ids.delete(message.id);
  }
}
