// Owns callers for tests: what a door would open, with a grant that the test ends at will.

import type { Caller, DoorName } from "../../bridge/callers/caller.ts";
import type { Grant } from "../../bridge/grants/grant-table.ts";

export function grantOf(id: string, wish: Partial<Grant> = {}): Grant {
  return {
    id,
    role: "agent",
    scopes: ["read", "spawn"],
    label: id,
    hash: "0".repeat(64),
    expiresAt: null,
    session: true,
    ...wish,
  };
}

export interface TestCaller extends Caller {
  /** What it was told. */
  readonly told: string[];
  /** What it was closed with. */
  readonly closed: string[];
  revoke(): void;
}

export function callerWith(given: Grant, name: DoorName = "mcp"): TestCaller {
  const told: string[] = [];
  const closed: string[] = [];
  let grant: Grant | undefined = given;
  return {
    door: {
      name,
      sendAll: (callers, message) => {
        for (const caller of callers) caller.send(message);
      },
    },
    since: 0,
    grantId: given.id,
    grant: () => grant,
    send: (message) => void told.push(message),
    close: ({ why }) => void closed.push(why),
    told,
    closed,
    revoke: () => {
      grant = undefined;
    },
  };
}
