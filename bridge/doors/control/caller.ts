// Owns the caller at `bridge.sock`. Only processes of the user can open it; an agent's code without
// isolation is one of them, so requests that widen access may need the code (Q40 to Q47). Such a
// caller has a grant that is in no list, goes to no relay and cannot be revoked.

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
