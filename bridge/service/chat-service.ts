// Owns finding the service of an application that gives agents their tools, without knowing its class.

import type { TerminalTool, ToolKeeper } from "./types.ts";

/**
 * Stands for the application's chat service. An application that looks services up by `instanceof`
 * finds the one that has `addTools`; one that looks them up by name finds `ChatService`.
 */
export abstract class ChatService implements ToolKeeper {
  static [Symbol.hasInstance](service: unknown): service is ToolKeeper {
    return takesTools(service);
  }

  abstract addTools(tools: readonly TerminalTool[]): void;
}

export function takesTools(service: unknown): service is ToolKeeper {
  return (
    typeof service === "object" &&
    service !== null &&
    "addTools" in service &&
    typeof service.addTools === "function"
  );
}
