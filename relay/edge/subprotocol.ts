// Owns which of the subprotocols that a client offers is selected. The entry with the token never
// is: whatever is selected stands in the answer.

import { RAW_SUBPROTOCOL, SUBPROTOCOL } from "../../protocol/version.ts";

/** The best first: whoever offers both can read both. */
export const SPOKEN = [RAW_SUBPROTOCOL, SUBPROTOCOL] as const;

/** Of a coding agent's socket, which has messages of one kind alone. */
export const AGENTS = [SUBPROTOCOL] as const;

export function selectSubprotocol(
  offered: readonly string[],
  spoken: readonly string[],
): string | undefined {
  return spoken.find((name) => offered.includes(name));
}
