// Owns the door for agents on this machine: a socket with MCP's stdio format, one caller per
// connection. Limits and ownership apply by agent name, as for remote agents.

import type { Socket } from "node:net";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { LocalAgents } from "../../grants/local-agents.ts";
import type { GrantTable } from "../../grants/table.ts";
import { LocalSocket } from "../../local/socket.ts";
import type { Log } from "../../log.ts";
import { OneByOne } from "../../reading/one-by-one.ts";
import { introduce } from "./introduction.ts";

export const MOST_LINE = 4 << 20;

export interface McpDoorParts {
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly agents: Pick<LocalAgents, "arrive">;
  readonly hub: Pick<Hub, "open">;
  readonly createServer: (caller: Caller) => McpServer | Promise<McpServer>;
  readonly log: Pick<Log, "error">;
}

/** Agents send requests and get no messages about the room. */
export const MCP_DOOR: Door = { name: "mcp", tellAll: () => {} };

export function mcpDoor(parts: McpDoorParts): LocalSocket {
  const turns = new OneByOne();
  const letIn = (socket: Socket, name: string | undefined, serve: Serve) => {
    try {
      serve(socket, arrive(socket, name, parts), parts, turns);
    } catch (error) {
      // No slot is left: the closed socket shows it, and others continue.
      if (!(error instanceof UserError)) logFault(parts.log, "letting a local agent in", error);
      socket.destroy();
    }
  };
  return new LocalSocket((socket) => {
    // Loaded with the first agent, since the SDK is large. Meanwhile its messages wait in the
    // socket.
    void import("./serve.ts").then(({ serve }) =>
      introduce(socket, MOST_LINE, (name) => letIn(socket, name, serve)),
    );
  });
}

type Serve = (
  socket: Socket,
  caller: Caller,
  parts: Pick<McpDoorParts, "createServer">,
  turns: OneByOne,
) => void;

function arrive(
  socket: Socket,
  name: string | undefined,
  { grants, agents, hub }: McpDoorParts,
): Caller {
  const { grantId, leave } = agents.arrive(name);
  const caller: Caller = {
    door: MCP_DOOR,
    since: Date.now(),
    grantId,
    grant: () => grants.lookUp(grantId),
    tell: () => {},
    close: () => socket.destroy(),
  };
  const leaveHub = hub.open(caller);
  // Registered first: cleanup must run whatever fails below.
  socket.on("close", () => {
    leaveHub();
    leave();
  });
  return caller;
}
