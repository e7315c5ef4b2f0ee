// Owns the hub's view of an MCP session, or of a handler that serves many requests: a separate
// caller that looks up its grant on every call and is closed when the grant ends.

import type { Caller } from "../../callers/caller.ts";

/**
 * Opens a caller. `end` is called when the grant has ended; call `leave` when there is nothing left
 * to end.
 */
export type OpenCaller = (
  grantId: string,
  end: () => void,
) => { readonly caller: Caller; readonly leave: () => void };
