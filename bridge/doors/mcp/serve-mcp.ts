// Owns MCP on a local agent's connection, in stdio format. Loaded with the first connection.

import type { Socket } from "node:net";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "../../callers/caller.ts";
import type { SerialQueue } from "../../reading/serial-queue.ts";
import type { McpDoorDeps } from "./mcp-door.ts";
import { MAX_LINE_BYTES } from "./mcp-door.ts";
import { toMessageStream, OpenRequests } from "./socket-messages.ts";

export function serveMcp(
  socket: Socket,
  caller: Caller,
  { createServer }: Pick<McpDoorDeps, "createServer">,
  turns: SerialQueue,
): void {
  const transport = new LocalTransport(socket, turns);
  const handle = serveStdio(async () => await createServer(caller), { transport });
  socket.on("close", () => void handle.close());
}

class LocalTransport extends StdioServerTransport {
  readonly #openRequests: OpenRequests;

  constructor(socket: Socket, turns: SerialQueue) {
    const openRequests = new OpenRequests();
    super(
      toMessageStream(socket, MAX_LINE_BYTES, turns, (message) => openRequests.onReceived(message)),
      socket,
    );
    this.#openRequests = openRequests;
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.#openRequests.onSent(message);
    return super.send(message);
  }
}
