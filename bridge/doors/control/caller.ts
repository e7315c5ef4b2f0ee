// Owns who comes in at `bridge.sock`: the user, since nobody else can reach it. Such a caller has a
// grant that is in no list, is told to no relay and cannot be revoked.

import type { Caller, Door } from "../../callers/caller.ts";
import type { Grant } from "../../grants/table.ts";

const OWNER: Grant = {
  id: "thismachin",
  role: "edit",
  scopes: [],
  label: "command line",
  hash: "",
  expiresAt: null,
  session: true,
  connection: true,
};

const CONTROL_DOOR: Door = { name: "control", tellAll: () => {} };

export function controlCaller(close: () => void): Caller {
  return {
    door: CONTROL_DOOR,
    since: Date.now(),
    grantId: OWNER.id,
    grant: () => OWNER,
    tell: () => {},
    close,
  };
}
