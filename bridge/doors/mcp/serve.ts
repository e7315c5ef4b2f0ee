// Owns MCP on a local agent's connection, in stdio format. Loaded with the first connection.

import type { Socket } from "node:net";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Caller } from "../../callers/caller.ts";
import type { OneByOne } from "../../reading/one-by-one.ts";
import type { McpDoorParts } from "./door.ts";
import { MOST_LINE } from "./door.ts";
import { messagesOf } from "./messages.ts";
import { UnderWay } from "./under-way.ts";

export function serve(
  socket: Socket,
  caller: Caller,
  { createServer }: Pick<McpDoorParts, "createServer">,
  turns: OneByOne,
): void {
  const transport = new LocalTransport(socket, turns);
  const handle = serveStdio(async () => await createServer(caller), { transport });
  socket.on("close", () => void handle.close());
}

class LocalTransport extends StdioServerTransport {
  readonly #underWay: UnderWay;

  constructor(socket: Socket, turns: OneByOne) {
    const underWay = new UnderWay();
    super(
      messagesOf(socket, MOST_LINE, turns, (message) => underWay.heard(message)),
      socket,
    );
    this.#underWay = underWay;
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.#underWay.sent(message);
    return super.send(message);
  }
}
