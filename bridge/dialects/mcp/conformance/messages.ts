// Owns the tools that send messages while they run: log lines and progress.

import { setTimeout as sleep } from "node:timers/promises";
import type { McpServer } from "@modelcontextprotocol/server";
import { text } from "./samples.ts";

/** Long enough to notice messages that are held back and arrive together. */
const BETWEEN_MS = 50;

export function registerMessages(server: McpServer): void {
  server.registerTool(
    "test_tool_with_logging",
    { description: "Logs three lines while it runs" },
    async (ctx) => {
      for (const line of ["started", "works", "ends"]) {
        await ctx.mcpReq.log("info", `The tool ${line}`);
        await sleep(BETWEEN_MS);
      }
      return { content: [text("Three lines were logged")] };
    },
  );
  server.registerTool(
    "test_tool_with_progress",
    { description: "Reports progress three times" },
    async (ctx) => {
      const progressToken = ctx.mcpReq._meta?.progressToken;
      // MCP forbids progress that the client did not request.
      if (progressToken === undefined) return { content: [text("no progress token")] };
      for (const progress of [0, 50, 100]) {
        const params = { progressToken, progress, total: 100, message: `${progress} of 100` };
        await ctx.mcpReq.notify({ method: "notifications/progress", params });
        await sleep(BETWEEN_MS);
      }
      return { content: [text(String(progressToken))] };
    },
  );
}
