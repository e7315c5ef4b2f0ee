// Owns the states of the connection to the room, what each is called, and the waits between tries.

import { CloseCode } from "../../protocol/codes.ts";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** `retryAt` is Unix ms; `code` is what the room closed with, 1006 and the like for a cut. */
  | { state: "waiting"; retryAt: number; code: number }
  /** Trying again would give the same answer: only the user can go on. */
  | { state: "refused"; code: number; reason: string };

/** Quick at first, because most cuts are a reload of the relay; slow when it is really gone. */
export const BACKOFF = { firstMs: 500, factor: 1.6, mostMs: 15_000 } as const;

/** The wait before the n-th retry in a row. */
export function backoff(retry: number): number {
  if (retry <= 0) return 0;
  return Math.min(BACKOFF.firstMs * BACKOFF.factor ** (retry - 1), BACKOFF.mostMs);
}

/** Why we are waiting, when the room gave a reason worth a sentence. */
export function explainWait(code: number): string | undefined {
  switch (code) {
    case CloseCode.noSuchWorkspace:
      return "Nobody has opened this workspace on this relay yet. Did you copy the whole link, and is pairpty running on the host’s machine?";
    case CloseCode.roomFull:
      return "The room is full.";
    case CloseCode.tryLater:
      return "The room asked this page to try again later.";
    default:
      return undefined;
  }
}
