// Owns the door for agents on this machine: a socket with MCP's stdio format, one caller per
// connection. Limits and ownership apply by agent name, as for remote agents.

import type { Socket } from "node:net";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Caller, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { LocalAgents } from "../../grants/local-agents.ts";
import type { GrantTable } from "../../grants/grant-table.ts";
import { LocalSocket } from "../../local/local-socket.ts";
import type { Log } from "../../log.ts";
import { SerialQueue } from "../../reading/serial-queue.ts";
import { readIntroduction } from "./mcp-introduction.ts";

export const MAX_LINE_BYTES = 4 << 20;

export interface McpDoorDeps {
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly agents: Pick<LocalAgents, "connect">;
  readonly hub: Pick<Hub, "open">;
  readonly createServer: (caller: Caller) => McpServer | Promise<McpServer>;
  readonly log: Pick<Log, "error">;
}

/** Agents send requests and get no messages about the room. */
export const MCP_DOOR: Door = { name: "mcp", proof: "socket", sendAll: () => {} };

export function createMcpDoor(deps: McpDoorDeps): LocalSocket {
  const turns = new SerialQueue();
  const acceptAgent = (socket: Socket, name: string | undefined, serve: Serve) => {
    try {
      serve(socket, openCaller(socket, name, deps), deps, turns);
    } catch (error) {
      // No slot is left: the closed socket shows it, and others continue.
      if (!(error instanceof UserError)) logFault(deps.log, "letting a local agent in", error);
      socket.destroy();
    }
  };
  return new LocalSocket((socket) => {
    // Loaded with the first agent, since the SDK is large. Meanwhile its messages wait in the
    // socket.
    void import("./serve-mcp.ts").then(({ serveMcp }) =>
      readIntroduction(socket, MAX_LINE_BYTES, (name) => acceptAgent(socket, name, serveMcp)),
    );
  });
}

type Serve = (
  socket: Socket,
  caller: Caller,
  deps: Pick<McpDoorDeps, "createServer">,
  turns: SerialQueue,
) => void;

function openCaller(
  socket: Socket,
  name: string | undefined,
  { grants, agents, hub }: McpDoorDeps,
): Caller {
  const { grantId, disconnect } = agents.connect(name);
  const caller: Caller = {
    door: MCP_DOOR,
    since: Date.now(),
    grantId,
    grant: () => grants.lookUp(grantId),
    send: () => {},
    close: () => socket.destroy(),
  };
  const leaveHub = hub.open(caller);
  // Registered first: cleanup must run whatever fails below.
  socket.on("close", () => {
    leaveHub();
    disconnect();
  });
  return caller;
}
