// Owns the door for agents on this machine: a socket that speaks MCP as stdio does, one connection
// an agent. Each has a grant of its own for as long as it is connected, so limits and ownership
// hold among local agents as among those elsewhere.

import type { Socket } from "node:net";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { ConnectionGrants } from "../../local/connection.ts";
import { grantConnection } from "../../local/connection.ts";
import { LocalSocket } from "../../local-socket.ts";
import type { McpDialect } from "./dialect.ts";
import { answerUnreadable } from "./unreadable.ts";

const MOST_LINE = 4 << 20;

export function agentDoor(
  grants: ConnectionGrants,
  mcp: Pick<McpDialect, "createServer">,
): LocalSocket {
  return new LocalSocket((socket) => serve(socket, grants, mcp));
}

function serve(
  socket: Socket,
  grants: ConnectionGrants,
  mcp: Pick<McpDialect, "createServer">,
): void {
  const grant = grantConnection(socket, grants, {
    role: "agent",
    scopes: ["read", "spawn", "write"],
    label: "local agent",
  });
  const transport = new StdioServerTransport(socket, socket);
  const handle = serveStdio(() => mcp.createServer(grant, false), { transport });
  // The transport gives up on a line that never ends, and says nothing to whoever sends it.
  answerUnreadable(socket, MOST_LINE);
  socket.on("close", () => void handle.close());
}
