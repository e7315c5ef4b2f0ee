// Owns what an MCP session, or a handler that serves many requests, is to the hub: a caller of its
// own, which asks for its grant with every call and is closed when that ends.

import type { Caller } from "../../callers/caller.ts";

/** `end` is called when the grant has ended; `leave` when there is nothing to end any more. */
export type OpenCaller = (
  grantId: string,
  end: () => void,
) => { readonly caller: Caller; readonly leave: () => void };
