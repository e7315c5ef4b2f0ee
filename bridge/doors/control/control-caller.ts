// Owns the caller at `bridge.sock`. Only the user's processes can open it, but an unsandboxed
// agent's program is one of them, so requests that widen access may need the code (Q40 to Q47). The
// caller's grant is in no list, is not sent to a relay and cannot be revoked.

import type { Caller, Door } from "../../callers/caller.ts";
import type { Grant } from "../../grants/grant-table.ts";

const HOST_GRANT: Grant = {
  id: "thismachin",
  role: "edit",
  scopes: [],
  label: "command line",
  hash: "",
  expiresAt: null,
  session: true,
  connection: true,
};

const CONTROL_DOOR: Door = { name: "control", proof: "socket", sendAll: () => {} };

export function createControlCaller(close: () => void): Caller {
  return {
    door: CONTROL_DOOR,
    since: Date.now(),
    grantId: HOST_GRANT.id,
    grant: () => HOST_GRANT,
    send: () => {},
    close,
  };
}
