// Owns the decision what one subscription gets of one output. Pure, and called for every peer and
// message: no allocation.

import { PEER_HARD_CAP } from "../../protocol/limits.ts";

export interface Standing {
  readonly sent: number;
  readonly acked: number | undefined;
  readonly skipped: boolean;
}

/**
 * "drop" is what the peer has or never wanted; "skip" ends its output until it is joined anew:
 * it is too far behind, or would get some bytes twice.
 */
export function decideDelivery(
  standing: Standing,
  acks: boolean,
  offset: number,
  end: number,
): "send" | "drop" | "skip" {
  if (standing.skipped) return "drop";
  if (offset < standing.sent) return end <= standing.sent ? "drop" : "skip";
  // Without a cap the runtime would queue for a stalled peer until the isolate dies; it gives no
  // sign of back-pressure. After a sleep the ack is unknown and the count starts at this output.
  const acked = standing.acked ?? offset;
  return acks && end - acked > PEER_HARD_CAP ? "skip" : "send";
}
