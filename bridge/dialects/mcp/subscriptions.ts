// Owns resource subscriptions of clients on a 2025 wire; the SDK keeps those of the newer one.

import type { McpServer } from "@modelcontextprotocol/server";
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { NOT_FOUND } from "../../agents/service.ts";

const MOST_SUBSCRIPTIONS = 200;

export class Subscriptions {
  readonly #uris = new WeakMap<McpServer, Set<string>>();

  /** Registers the subscription handlers; `isThere` returns whether a resource exists. */
  register(server: McpServer, isThere: (uri: string) => boolean): void {
    const uris = new Set<string>();
    this.#uris.set(server, uris);
    server.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    server.server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      if (!isThere(uri)) throw new ResourceNotFoundError(uri, NOT_FOUND);
      if (uris.size >= MOST_SUBSCRIPTIONS) {
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

  listChanged(server: McpServer): void {
    if (this.#uris.has(server)) server.sendResourceListChanged();
  }

  updated(server: McpServer, uri: string): void {
    if (this.#uris.get(server)?.has(uri) !== true) return;
    // The client may be gone.
    server.server.sendResourceUpdated({ uri }).catch(() => {});
  }
}
