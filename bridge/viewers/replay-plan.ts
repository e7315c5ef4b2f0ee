// Owns what an attaching viewer is sent before the live stream: the exact gap if it is retained,
// else the end of the history. Pure.

import { HISTORY_BYTES } from "../../protocol/limits.ts";
import { findTailStart } from "../../protocol/text.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";

export type Replay =
  /** Everything from the requested offset on. */
  | { readonly kind: "exact"; readonly offset: number; readonly bytes: Uint8Array }
  /** A new start. */
  | { readonly kind: "history"; readonly offset: number; readonly bytes: Uint8Array };

/** Plans the replay up to `joinAt`, where live output continues; `requestedOffset` is the client's offset. */
export function planReplay(
  retained: RetainedBytes,
  joinAt: number,
  requestedOffset: number | undefined,
): Replay {
  const upTo = retained.bytes.subarray(0, joinAt - retained.offset);
  if (
    requestedOffset !== undefined &&
    requestedOffset >= retained.offset &&
    requestedOffset <= joinAt
  ) {
    return {
      kind: "exact",
      offset: requestedOffset,
      bytes: upTo.subarray(requestedOffset - retained.offset),
    };
  }
  const start = findTailStart(upTo, HISTORY_BYTES);
  return { kind: "history", offset: retained.offset + start, bytes: upTo.subarray(start) };
}
