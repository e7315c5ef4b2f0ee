// Registers the room's dialects and routes with its hub: the list of what people's pages and HTTP
// clients can send. The services behind them are built in room.ts.

import type { AuditLog } from "../audit/audit-log.ts";
import { ApprovalDialect } from "../dialects/approval/dialect.ts";
import { AuditDialect } from "../dialects/audit/dialect.ts";
import { ConversationDialect } from "../dialects/conversation/dialect.ts";
import { filesRoute } from "../dialects/files/files-route.ts";
import { PanelDialect } from "../dialects/panel/dialect.ts";
import { panelRoute } from "../dialects/panel/panel-route.ts";
import { PtyDialect } from "../dialects/pty/dialect.ts";
import { ptyRoute } from "../dialects/pty/pty-route.ts";
import { recordingsRoute } from "../dialects/recordings/recordings-route.ts";
import type { RoomDialect } from "../dialects/room/dialect.ts";
import { healthRoute } from "../dialects/room/dialect.ts";
import type { ForegroundPrograms } from "../people/foreground-programs.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Room } from "./room.ts";

export interface RoomDialectDeps {
  readonly pool: TerminalPool;
  readonly audit: AuditLog;
  readonly roomDialect: RoomDialect;
  readonly foreground: ForegroundPrograms;
  readonly hasPanels: boolean;
}

/** The services of a room that its dialects and routes use. */
type RoomServices = Pick<
  Room,
  | "approvals"
  | "conversations"
  | "files"
  | "hub"
  | "mcp"
  | "panels"
  | "people"
  | "recordings"
  | "steppingIn"
  | "terminalSharing"
  | "viewers"
  | "visitors"
>;

/** Registers everything; returns the removals. */
export function registerDialects(room: RoomServices, deps: RoomDialectDeps): (() => void)[] {
  const { hub, people, terminalSharing, steppingIn, viewers, recordings, files, panels } = room;
  const { pool, audit, roomDialect, foreground } = deps;
  const dialects = [
    // Order matters: the first dialect answers unknown message types.
    new PtyDialect({
      people,
      terminalSharing,
      steppingIn,
      viewers,
      presence: room.visitors,
      foreground,
      recordings,
    }),
    roomDialect,
    new ApprovalDialect(room.approvals),
    new ConversationDialect(room.conversations),
    new AuditDialect(audit),
    ...(deps.hasPanels ? [new PanelDialect(panels, people)] : []),
  ];
  const routes = [
    healthRoute(pool, people),
    ptyRoute(people),
    room.mcp,
    recordingsRoute(recordings),
    filesRoute({ files, people, audit }),
    ...(deps.hasPanels ? [panelRoute(panels)] : []),
  ];
  return [
    ...dialects.map((dialect) => hub.registerDialect(dialect)),
    ...routes.map((route) => hub.registerRoute(route)),
  ];
}
