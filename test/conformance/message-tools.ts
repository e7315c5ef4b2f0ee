// Owns the tools that send messages while they run: log lines and progress.

import { setTimeout as sleep } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import { textBlock } from "./samples.ts";

/** Long enough to notice messages that are held back and arrive together. */
const MESSAGE_INTERVAL_MS = 50;

export function registerMessages(server: McpServer): void {
  server.registerTool(
    "test_tool_with_logging",
    { description: "Logs three lines while it runs" },
    async (ctx) => {
      for (const line of ["started", "works", "ends"]) {
        await ctx.mcpReq.log("info", `The tool ${line}`);
        await sleep(MESSAGE_INTERVAL_MS);
      }
      return { content: [textBlock("Three lines were logged")] };
    },
  );
  server.registerTool(
    "test_tool_with_progress",
    { description: "Reports progress three times" },
    async (ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      // MCP forbids progress that the client did not request.
      if (progressToken === undefined) return { content: [textBlock("no progress token")] };
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
        await ctx.mcpReq.notify({ method: "notifications/progress", params });
        await sleep(MESSAGE_INTERVAL_MS);
      }
      return { content: [textBlock(String(progressToken))] };
    },
  );
}
