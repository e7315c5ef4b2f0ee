// Owns a hub that speaks one dialect, for that dialect's test: who is heard and told is the hub's.

import type { Caller, DoorName } from "../../bridge/callers/caller.ts";
import type { Dialect } from "../../bridge/callers/dialect-interface.ts";
import { Hub } from "../../bridge/callers/hub.ts";
import type { Grant } from "../../bridge/grants/grant-table.ts";
import { createLog } from "../../bridge/log.ts";
import { toBytes } from "../../protocol/text.ts";
import type { TestCaller } from "./caller.ts";
import { callerWith, createGrant } from "./caller.ts";

const NO_GRANTS = { lookUp: () => undefined, onEvent: () => () => {} };

export function spoken(dialect: Dialect) {
  const hub = new Hub(
    NO_GRANTS,
    createLog("silent", () => {}),
  );
  let last = 0;
  return {
    end: hub.registerDialect(dialect),
    come: (request: Partial<Grant>, door: DoorName = "people"): TestCaller => {
      const caller = callerWith(createGrant(`grant${++last}`, request), door);
      hub.open(caller);
      return caller;
    },
    say: (caller: Caller, message: object) =>
      hub.handleMessage(caller, toBytes(JSON.stringify(message))),
    changed: (caller: Caller) => hub.rightsChanged(caller),
  };
}
