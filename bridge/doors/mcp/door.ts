// Owns the door for agents on this machine: a socket that speaks MCP as stdio does, one connection
// an agent. Each has a grant of its own for as long as it is connected, so limits and ownership
// hold among local agents as among those elsewhere.

import type { Socket } from "node:net";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { GrantTable } from "../../grants/table.ts";
import { LocalSocket } from "../../local/socket.ts";
import type { McpDialect } from "../../dialects/mcp/dialect.ts";
import { answerUnreadable } from "./unreadable.ts";

const MOST_LINE = 4 << 20;

export function agentDoor(grants: GrantTable, mcp: McpDialect): LocalSocket {
  return new LocalSocket((socket) => serve(socket, grants, mcp));
}

function serve(socket: Socket, grants: GrantTable, mcp: McpDialect): void {
  const { grant } = grants.mint({
    role: "agent",
    scopes: ["read", "spawn", "write"],
    label: "local agent",
    expiresAt: null,
    session: true,
    connection: true,
  });
  const transport = new StdioServerTransport(socket, socket);
  const handle = serveStdio(() => mcp.createServer(grant, false), { transport });
  // The transport gives up on a line that never ends, and says nothing to whoever sends it.
  answerUnreadable(socket, MOST_LINE);
  socket.on("close", () => {
    grants.revoke(grant.id);
    void handle.close();
  });
}
