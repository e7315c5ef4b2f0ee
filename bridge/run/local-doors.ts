// Owns the sockets of this machine, opened and closed together: `terminal.sock`, `mcp.sock` and
// `acp.sock`. `bridge.sock` belongs to the command line, connections through the relay to the link.

import { join } from "node:path";
import { createAcpDoor } from "../doors/acp/local-acp-door.ts";
import { AGENT_TAG_ENV } from "../doors/acp/agent-lines.ts";
import { createMcpDoor } from "../doors/mcp/mcp-door.ts";
import type { TerminalDoorDeps } from "../doors/terminal/terminal-door.ts";
import { createTerminalDoor } from "../doors/terminal/terminal-door.ts";
import { LocalAgents } from "../grants/local-agents.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { GrantingSocket, LocalSocket } from "../local/local-socket.ts";
import type { Log } from "../log.ts";
import { sweepVariable } from "../sweep.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { Room } from "./room.ts";

export interface LocalDoorsDeps extends TerminalDoorDeps {
  readonly grants: GrantTable;
  readonly room: Pick<Room, "mcp" | "conversations" | "approvals">;
  readonly folders: Pick<WorkspaceFolders, "folder" | "runtime">;
  /** The workspace's address at the relay that the bridge dials. */
  readonly link: string;
  readonly log: Log;
}

export interface LocalDoors {
  open(): void;
  close(): void;
}

export function createLocalDoors(deps: LocalDoorsDeps): LocalDoors {
  const { grants, hub, room, folders, link, log } = deps;
  // Shared by both: an agent's name means the same agent at `mcp.sock` and `acp.sock`.
  const agents = new LocalAgents(grants);
  const doors: Readonly<Record<GrantingSocket, LocalSocket>> = {
    "terminal.sock": createTerminalDoor(deps),
    "mcp.sock": createMcpDoor({
      grants,
      agents,
      hub,
      createServer: async (caller) => await room.mcp.createServer(caller),
      log,
    }),
    "acp.sock": createAcpDoor({
      grants,
      agents,
      hub,
      host: room.conversations,
      folder: folders.folder,
      link,
      onApprovalRequested: (listener) =>
        room.approvals.onEvent((event) => {
          if (event.type === "approval:requested") listener(event.approval);
        }),
      sweep: (mark) => sweepVariable(AGENT_TAG_ENV, mark),
      log,
    }),
  };
  return {
    open: () => {
      for (const [name, door] of Object.entries(doors)) door.open(join(folders.runtime, name));
    },
    close: () => {
      for (const door of Object.values(doors)) door.close();
    },
  };
}
