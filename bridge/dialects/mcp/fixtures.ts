// Owns the shape of what a test suite adds to every server, and nothing of what it adds.

import type { McpServer, McpServerOptions, ServerNotifier } from "@modelcontextprotocol/server";

export interface Fixtures {
  /** Over the server's own, which only gives its instructions. */
  readonly options: McpServerOptions;
  /** `notifier` publishes to the open streams of the server's grant, on the 2026 wire. */
  register(server: McpServer, notifier: () => ServerNotifier): void;
}
