// Owns what peers are told about a bridge that is gone: what it said of its end, and what its socket
// showed. Pure.

import type { Farewell } from "../../protocol/link.ts";
import type { BridgeState } from "../../protocol/pty.ts";

export type AwayFacts = Pick<BridgeState, "how" | "by" | "terminals" | "until">;

export interface Loss {
  /** Unix ms. */
  readonly since: number;
  /** The socket ended without a word. */
  readonly isCut: boolean;
  /** Nothing but a process that died cuts a socket within one machine. */
  readonly isOneMachine: boolean;
}

export function awayFacts(farewell: Farewell | undefined, loss: Loss): AwayFacts {
  const { state, by, terminals, graceMs } = farewell ?? {};
  const until = graceMs === undefined ? {} : { until: loss.since + graceMs };
  const count = terminals === undefined ? {} : { terminals };
  if (state === "ended") return { how: "ended", ...(by === undefined ? {} : { by }), ...count };
  if (state === "left") return { how: "left", ...count, ...until };
  return loss.isCut && loss.isOneMachine ? { how: "crashed", ...until } : { how: "offline" };
}
