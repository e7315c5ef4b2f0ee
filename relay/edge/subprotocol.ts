// Owns which of the offered subprotocols is selected. Never the one with the token, because the
// selected one appears in the answer.

import { RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL } from "../../protocol/limits.ts";

/** In order of preference: a client that offers both can read both. */
export const PEER_SUBPROTOCOLS = [RAW_SUBPROTOCOL, PLAIN_SUBPROTOCOL] as const;

/** For coding agents' sockets, which have only one kind of message. */
export const AGENT_SUBPROTOCOLS = [PLAIN_SUBPROTOCOL] as const;

export function selectSubprotocol(
  offered: readonly string[],
  supported: readonly string[],
): string | undefined {
  return supported.find((name) => offered.includes(name));
}
