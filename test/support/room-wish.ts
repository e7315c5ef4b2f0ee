// Owns the wish for a bridge's room without relay and sockets, as tests and the bench open one: the
// defaults of a bridge, in folders of their own, with no walls and nobody at the door.

import { join } from "node:path";
import { AGENT_DEFAULTS } from "../../bridge/agents/defaults.ts";
import { DEFAULT_LISTS } from "../../bridge/policy/command-lists.ts";
import { NO_ISOLATION } from "../../bridge/isolation/isolation-settings.ts";
import { IsolationService } from "../../bridge/isolation/isolation-service.ts";
import type { RoomDeps } from "../../bridge/run/room.ts";

export interface RoomDefaults extends Pick<RoomDeps, "pool" | "grants" | "audit" | "log"> {
  /** The workspace. */
  readonly folder: string;
  /** What the room keeps. */
  readonly state: string;
  /** Of the pty host. */
  readonly instance: () => string;
}

export function createRoomDeps(ground: RoomDefaults, request: Partial<RoomDeps> = {}): RoomDeps {
  const { pool, grants, audit, log, folder, state, instance } = ground;
  const at = (name: string) => join(state, name);
  const ownFolders = state === folder ? [] : [state];
  return {
    pool,
    grants,
    audit,
    log,
    elevationGate: { recordAgentCall: () => {}, checkCode: () => undefined },
    environment: process.env,
    roots: [folder],
    ownPaths: { ownFolders },
    visitors: {
      devicesPath: at("people.json"),
      isKnockOn: false,
      linkWith: (token) => token,
      confirmed: async () => {},
      onDecided: () => {},
    },
    agentEnvironment: [],
    agentDefaults: AGENT_DEFAULTS,
    commandLists: DEFAULT_LISTS,
    panels: { isEnabled: false, shell: undefined, isDebugged: false },
    isolationService: new IsolationService(
      {
        roots: [folder],
        ownFolders,
        folder: at("isolation"),
        placeholders: at("placeholders"),
        name: "test",
        shell: "/bin/sh",
        envAllowlist: new Set(),
      },
      NO_ISOLATION,
    ),
    approvals: { inSandbox: "run", onUnknownTimeout: "deny" },
    acp: { hasTerminals: true, hasFiles: true },
    files: { folder: undefined, maxBytes: 1 << 20 },
    recordings: { folder: at("recordings"), maxBytes: 1 << 20 },
    tools: { local: { command: "pairpty", args: ["mcp"] }, url: () => "http://127.0.0.1:1/mcp" },
    conversationsPath: at("conversations"),
    rulesPath: at("rules.json"),
    agentIdleMs: 300_000,
    sessions: { last: 0, keepLast: () => {}, instance },
    ...request,
  };
}
