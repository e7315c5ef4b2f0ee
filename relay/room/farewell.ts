// Owns the state that peers get when a bridge is gone, from its farewell and from how its socket
// ended. Pure.

import type { Farewell } from "../../protocol/link.ts";
import type { BridgeState } from "../../protocol/pty.ts";

export type AwayFacts = Pick<BridgeState, "how" | "by" | "until">;

export interface LinkLoss {
  /** Unix ms. */
  readonly since: number;
  /** The socket ended without a close frame. */
  readonly isCut: boolean;
  /** Relay and bridge share a machine, where only a dead process cuts a socket. */
  readonly isOneMachine: boolean;
}

export function toAwayFacts(farewell: Farewell | undefined, loss: LinkLoss): AwayFacts {
  const { state, by, graceMs } = farewell ?? {};
  const until = graceMs === undefined ? {} : { until: loss.since + graceMs };
  if (state === "ended") return { how: "ended", ...(by === undefined ? {} : { by }) };
  if (state === "left") return { how: "left", ...until };
  return loss.isCut && loss.isOneMachine ? { how: "crashed", ...until } : { how: "offline" };
}
