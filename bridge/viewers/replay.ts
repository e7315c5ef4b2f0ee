// Owns what an attaching viewer is sent before the live stream: the exact gap if it is retained,
// else the end of the history. Pure.

import { HISTORY_BYTES } from "../../protocol/limits.ts";
import { tailStart } from "../../protocol/utf8.ts";
import type { Retained } from "../terminals/host-client.ts";

export type Replay =
  /** Everything from the requested offset on. */
  | { readonly kind: "exact"; readonly offset: number; readonly bytes: Uint8Array }
  /** A new start. */
  | { readonly kind: "history"; readonly offset: number; readonly bytes: Uint8Array };

/** Plans the replay up to `joinAt`, where live output continues; `asked` is the client's offset. */
export function planReplay(retained: Retained, joinAt: number, asked: number | undefined): Replay {
  const upTo = retained.bytes.subarray(0, joinAt - retained.offset);
  if (asked !== undefined && asked >= retained.offset && asked <= joinAt) {
    return { kind: "exact", offset: asked, bytes: upTo.subarray(asked - retained.offset) };
  }
  const start = tailStart(upTo, HISTORY_BYTES);
  return { kind: "history", offset: retained.offset + start, bytes: upTo.subarray(start) };
}
