// Owns MCP on a local agent's connection, as stdio has it. Loaded with the first of them.

import type { Socket } from "node:net";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "../../callers/caller.ts";
import type { McpDoorParts } from "./door.ts";
import { MOST_LINE } from "./door.ts";
import { messagesOf } from "./messages.ts";

export function serve(
  socket: Socket,
  caller: Caller,
  { createServer }: Pick<McpDoorParts, "createServer">,
): void {
  const transport = new StdioServerTransport(messagesOf(socket, MOST_LINE), socket);
  const handle = serveStdio(async () => await createServer(caller), { transport });
  socket.on("close", () => void handle.close());
}
