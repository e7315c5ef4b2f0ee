// Owns the tools with which the suite examines the 2026 wire itself (SEP-2575): undeclared
// capabilities, the contents of a response stream, and changes on a subscription.

import type { McpServer, ServerNotifier } from "@modelcontextprotocol/server";
import { inputRequired } from "@modelcontextprotocol/server";
import { textBlock } from "./samples.ts";

export function registerDiagnostics(server: McpServer, notifier: () => ServerNotifier): void {
  server.registerTool(
    "test_missing_capability",
    { description: "Needs a client that declares sampling" },
    ({ mcpReq }) => {
      if (mcpReq.inputResponses !== undefined) return { content: [textBlock("Answered")] };
      const messages = [{ role: "user" as const, content: textBlock("Say pong") }];
      return inputRequired({
        inputRequests: { pong: inputRequired.createMessage({ messages, maxTokens: 16 }) },
      });
    },
  );
  server.registerTool(
    "test_streaming_elicitation",
    { description: "Answers; its stream carries no request of the server's" },
    () => ({ content: [textBlock("Nothing but this")] }),
  );
  server.registerTool(
    "test_logging_tool",
    { description: "Logs, which a client hears only if it asked to" },
    async ({ mcpReq }) => {
      await mcpReq.log("info", "test_logging_tool runs");
      return { content: [textBlock("Logged")] };
    },
  );
  server.registerTool(
    "test_trigger_tool_change",
    { description: "Says that the list of tools has changed" },
    () => {
      notifier().toolsChanged();
      return { content: [textBlock("Said")] };
    },
  );
  server.registerTool(
    "test_trigger_prompt_change",
    { description: "Says that the list of prompts has changed" },
    () => {
      notifier().promptsChanged();
      return { content: [textBlock("Said")] };
    },
  );
}
