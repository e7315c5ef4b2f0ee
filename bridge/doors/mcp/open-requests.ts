// Owns a local agent's open requests: their number is limited, and each needs its own id. Open
// requests use memory, and the SDK has no limit. Pure.

import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { INVALID_REQUEST } from "@modelcontextprotocol/server";

/** Same as for a coding agent (dialects/acp/agent-connection.ts). */
export const MAX_OPEN_REQUESTS = 64;
/** One of the codes that JSON-RPC reserves for servers. */
const TOO_MANY = -32_000;

export interface Refusal {
  readonly id: string | number;
  readonly code: number;
  readonly message: string;
}

export class OpenRequests {
  readonly #ids = new Set<unknown>();

  /** Records a message of the agent. Returns a refusal for a request that may not start. */
  onReceived(message: JSONRPCMessage): Refusal | undefined {
    if (!("method" in message)) return undefined;
    if (!("id" in message)) {
      // A cancelled request gets no answer.
      if (message.method === "notifications/cancelled")
        this.#ids.delete(message.params?.["requestId"]);
      return undefined;
    }
    const { id } = message;
    if (this.#ids.has(id)) {
      return { id, code: INVALID_REQUEST, message: "Another request with this id is open" };
    }
    if (this.#ids.size >= MAX_OPEN_REQUESTS) {
      const reason = `${MAX_OPEN_REQUESTS} requests are open; wait for one to end`;
      return { id, code: TOO_MANY, message: reason };
    }
    this.#ids.add(id);
    return undefined;
  }

  /** Records a message to the agent. */
  onSent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#ids.delete(message.id);
  }
}
