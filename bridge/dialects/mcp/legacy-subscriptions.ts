// Owns resource subscriptions of clients on a 2025 wire; the SDK keeps those of the newer one.

import type { McpServer } from "@modelcontextprotocol/server";
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { NOT_FOUND } from "../../agents/agent-terminals.ts";

const MAX_SUBSCRIPTIONS = 200;

export class LegacySubscriptions {
  readonly #uris = new WeakMap<McpServer, Set<string>>();

  /** Registers the subscription handlers; `exists` returns whether a resource exists. */
  register(server: McpServer, exists: (uri: string) => boolean): void {
    const uris = new Set<string>();
    this.#uris.set(server, uris);
    server.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      if (!exists(uri)) throw new ResourceNotFoundError(uri, NOT_FOUND);
      if (uris.size >= MAX_SUBSCRIPTIONS) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, "Too many subscriptions");
      }
      uris.add(uri);
      return {};
    });
    server.server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      uris.delete(uri);
      return {};
    });
  }

  notifyListChanged(server: McpServer): void {
    if (this.#uris.has(server)) server.sendResourceListChanged();
  }

  notifyUpdated(server: McpServer, uri: string): void {
    if (this.#uris.get(server)?.has(uri) !== true) return;
    // The client may have disconnected.
    server.server.sendResourceUpdated({ uri }).catch(() => {});
  }
}
