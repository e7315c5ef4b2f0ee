// Owns the sockets of this machine, opened and closed together: `terminal.sock`, `mcp.sock` and
// `acp.sock`. `bridge.sock` belongs to the command line, connections through the relay to the link.

import { join } from "node:path";
import { acpDoor } from "../doors/acp/local-door.ts";
import { AGENT_MARK } from "../doors/acp/words.ts";
import { mcpDoor } from "../doors/mcp/door.ts";
import type { TerminalDoorParts } from "../doors/terminal/door.ts";
import { terminalDoor } from "../doors/terminal/door.ts";
import { LocalAgents } from "../grants/local-agents.ts";
import type { GrantTable } from "../grants/table.ts";
import type { GrantingSocket, LocalSocket } from "../local/socket.ts";
import type { Log } from "../log.ts";
import { sweepVariable } from "../sweep.ts";
import type { WorkspaceFolders } from "../workspace/folders.ts";
import type { Room } from "./room.ts";

export interface LocalDoorsParts extends TerminalDoorParts {
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

export function localDoors(parts: LocalDoorsParts): LocalDoors {
  const { grants, hub, room, folders, link, log } = parts;
  // Shared by both: an agent's name means the same agent at `mcp.sock` and `acp.sock`.
  const agents = new LocalAgents(grants);
  const doors: Readonly<Record<GrantingSocket, LocalSocket>> = {
    "terminal.sock": terminalDoor(parts),
    "mcp.sock": mcpDoor({
      grants,
      agents,
      hub,
      createServer: async (caller) => await room.mcp.createServer(caller),
      log,
    }),
    "acp.sock": acpDoor({
      grants,
      agents,
      hub,
      host: room.conversations,
      folder: folders.folder,
      link,
      onAsked: (listener) =>
        room.approvals.onEvent((event) => {
          if (event.type === "approval:requested") listener(event.approval);
        }),
      sweep: (mark) => sweepVariable(AGENT_MARK, mark),
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
