// Owns the states of the connection to the room, their explanations, and the waits between retries.

import { CloseCode } from "../../protocol/codes.ts";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** `retryAt` is Unix ms; `code` is the close code, 1006 and the like for a cut. */
  | { state: "waiting"; retryAt: number; code: number }
  /** Retrying would give the same answer: the person must act. */
  | { state: "refused"; code: number; reason: string };

/**
 * Short at first, because most cuts are restarts of the relay; long when the relay is really gone.
 */
export const BACKOFF = { firstMs: 500, factor: 1.6, maxMs: 15_000 } as const;

/** Returns the wait before the n-th retry in a row. */
export function backoff(retry: number): number {
  if (retry <= 0) return 0;
  return Math.min(BACKOFF.firstMs * BACKOFF.factor ** (retry - 1), BACKOFF.maxMs);
}

/** Returns why the page is waiting, if the close code has an explanation. */
export function explainWait(code: number): string | undefined {
  switch (code) {
    case CloseCode.noSuchWorkspace:
      return "This workspace is not open on this relay yet. Did you copy the whole link, and is pairpty running on the host’s machine?";
    case CloseCode.roomFull:
      return "The room is full.";
    case CloseCode.tryLater:
      return "The room asked this page to try again later.";
    default:
      return undefined;
  }
}
