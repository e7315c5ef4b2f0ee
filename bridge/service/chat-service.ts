// Owns finding an application's service that gives agents their tools, without importing its class.

import type { TerminalTool, ToolKeeper } from "./types.ts";

/**
 * Stands for the application's chat service. A lookup by `instanceof` finds the service that has
 * `addTools`; a lookup by name finds `ChatService`.
 */
export abstract class ChatService implements ToolKeeper {
  static [Symbol.hasInstance](service: unknown): service is ToolKeeper {
    return isToolKeeper(service);
  }

  abstract addTools(tools: readonly TerminalTool[]): void;
}

export function isToolKeeper(service: unknown): service is ToolKeeper {
  return (
    typeof service === "object" &&
    service !== null &&
    "addTools" in service &&
    typeof service.addTools === "function"
  );
}
