// Owns the state that peers get when a bridge is gone, from its farewell and from how its socket
// ended. Pure.

import type { Farewell } from "../../protocol/link.ts";
import type { BridgeState } from "../../protocol/pty.ts";

export type AwayFacts = Pick<BridgeState, "how" | "by" | "terminals" | "until">;

export interface LinkLoss {
  /** Unix ms. */
  readonly since: number;
  /** The socket ended without a close frame. */
  readonly isCut: boolean;
  /** Relay and bridge share a machine, where only a dead process cuts a socket. */
  readonly isOneMachine: boolean;
}

export function toAwayFacts(farewell: Farewell | undefined, loss: LinkLoss): AwayFacts {
  const { state, by, terminals, graceMs } = farewell ?? {};
  const until = graceMs === undefined ? {} : { until: loss.since + graceMs };
  const count = terminals === undefined ? {} : { terminals };
  if (state === "ended") return { how: "ended", ...(by === undefined ? {} : { by }), ...count };
  if (state === "left") return { how: "left", ...count, ...until };
  return loss.isCut && loss.isOneMachine ? { how: "crashed", ...until } : { how: "offline" };
}
