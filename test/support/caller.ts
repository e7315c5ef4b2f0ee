// Owns callers for tests: what a door would open, with a grant that the test ends at will.

import type { Caller, DoorName } from "../../bridge/callers/caller.ts";
import type { Grant } from "../../bridge/grants/grant-table.ts";

export function createGrant(id: string, request: Partial<Grant> = {}): Grant {
  return {
    id,
    role: "agent",
    scopes: ["read", "spawn"],
    label: id,
    hash: "0".repeat(64),
    expiresAt: null,
    session: true,
    ...request,
  };
}

export interface TestCaller extends Caller {
  /** What it was told. */
  readonly messages: string[];
  /** What it was closed with. */
  readonly closed: string[];
  revoke(): void;
}

export function callerWith(given: Grant, name: DoorName = "mcp"): TestCaller {
  const messages: string[] = [];
  const closed: string[] = [];
  let grant: Grant | undefined = given;
  return {
    door: {
      name,
      proof: "socket",
      sendAll: (callers, message) => {
        for (const caller of callers) caller.send(message);
      },
    },
    since: 0,
    grantId: given.id,
    grant: () => grant,
    send: (message) => void messages.push(message),
    close: ({ why }) => void closed.push(why),
    messages,
    closed,
    revoke: () => {
      grant = undefined;
    },
  };
}
