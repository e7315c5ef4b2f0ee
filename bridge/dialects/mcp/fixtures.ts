// Owns the interface by which a test suite extends every server.

import type { McpServer, McpServerOptions, ServerNotifier } from "@modelcontextprotocol/server";

export interface Fixtures {
  /** Override the server's own options, which contain only instructions. */
  readonly options: McpServerOptions;
  /** Registers the suite's tools; `notifier` publishes to the grant's open streams (2026 wire). */
  register(server: McpServer, notifier: () => ServerNotifier): void;
}
