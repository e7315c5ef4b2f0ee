// Owns the wish for a bridge's room without relay and sockets, as tests and the bench open one: the
// defaults of a bridge, in folders of their own, with no walls and nobody at the door.

import { join } from "node:path";
import { AGENT_DEFAULTS } from "../../bridge/agents/defaults.ts";
import { SEED_LISTS } from "../../bridge/policy/lists.ts";
import { NO_WALLS } from "../../bridge/providers/settings.ts";
import { Walls } from "../../bridge/providers/walls.ts";
import type { RoomWish } from "../../bridge/run/room.ts";

export interface RoomGround extends Pick<RoomWish, "pool" | "grants" | "audit" | "log"> {
  /** The workspace. */
  readonly folder: string;
  /** What the room keeps. */
  readonly state: string;
  /** Of the pty host. */
  readonly instance: () => string;
}

export function roomWish(ground: RoomGround, wish: Partial<RoomWish> = {}): RoomWish {
  const { pool, grants, audit, log, folder, state, instance } = ground;
  const at = (name: string) => join(state, name);
  const ownFolders = state === folder ? [] : [state];
  return {
    pool,
    grants,
    audit,
    log,
    widening: { agentCalled: () => {}, whyNot: () => undefined },
    environment: process.env,
    roots: [folder],
    own: { ownFolders },
    visits: {
      devicesPath: at("people.json"),
      isKnockOn: false,
      linkWith: (token) => token,
      confirmed: async () => {},
      onDecided: () => {},
    },
    agentEnvironment: [],
    agentDefaults: AGENT_DEFAULTS,
    lists: SEED_LISTS,
    panels: { isEnabled: false, shell: undefined, isDebugged: false },
    walls: new Walls(
      {
        roots: [folder],
        ownFolders,
        folder: at("isolation"),
        placeholders: at("placeholders"),
        name: "test",
        shell: "/bin/sh",
        letThrough: new Set(),
      },
      NO_WALLS,
    ),
    approvals: { inSandbox: "run", onUnknownTimeout: "deny" },
    acp: { hasTerminals: true, hasFiles: true },
    files: { folder: undefined, mostBytes: 1 << 20 },
    recordings: { folder: at("recordings"), mostBytes: 1 << 20 },
    tools: { local: { command: "pairpty", args: ["mcp"] }, url: () => "http://127.0.0.1:1/mcp" },
    conversationsPath: at("conversations"),
    rulesPath: at("rules.json"),
    agentIdleMs: 300_000,
    areScreensFed: true,
    sessions: { last: 0, keepLast: () => {}, instance },
    ...wish,
  };
}
