// Owns the states of the connection to the room, what each is called, and the waits between tries.

import { CloseCode } from "../../protocol/codes.ts";
import type { RoomAway } from "../../protocol/room.ts";
import { endOfLink, goneHow } from "./ends.ts";

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** `retryAt` is Unix ms; `code` is what the room closed with, 1006 and the like for a cut. */
  | { state: "waiting"; retryAt: number; code: number }
  /** Trying again would give the same answer: only the user can go on. */
  | { state: "refused"; code: number; reason: string };

/** Quick at first, because most cuts are a reload of the relay; slow when it is really gone. */
export const BACKOFF = { firstMs: 500, factor: 1.6, mostMs: 15_000 } as const;

/** The wait before the n-th retry in a row, as partysocket counts them. */
export function backoff(retry: number): number {
  if (retry <= 0) return 0;
  return Math.min(BACKOFF.firstMs * BACKOFF.factor ** (retry - 1), BACKOFF.mostMs);
}

export interface Explanation {
  readonly title: string;
  readonly text: string;
  /** A command for the host. */
  readonly command?: string;
}

/** `away`: what the room said before it closed the door; `reason`: what it closed it with. */
export function explainRefusal(
  code: number,
  { away, reason }: { away?: RoomAway["why"] | undefined; reason?: string } = {},
): Explanation {
  switch (code) {
    case CloseCode.sentAway:
      return away === "removed"
        ? {
            title: "The host sent you away",
            text: "This browser is not let in any more. If that is a mistake, ask the host, who can let you come again with:",
            command: "pairpty admit",
          }
        : {
            title: "The host did not let you in",
            text: "If that is a mistake, ask the host, who can let you come again with:",
            command: "pairpty admit",
          };
    case CloseCode.forbidden:
      return {
        title: "This link is for agents",
        text: "An agent’s token does not open this page. Ask the host for a link for people:",
        command: "pairpty share --role edit",
      };
    case CloseCode.version:
      return {
        title: "This page is out of date",
        text: "The relay runs another version. Reload the page. If that does not help, ask the host to update pairpty and the relay.",
      };
    default: {
      const { title, text } = endOfLink(goneHow(reason));
      return { title, text: `${text} They make one with:`, command: "pairpty share" };
    }
  }
}

/** Why we are waiting, when the room gave a reason worth a sentence. */
export function explainWait(code: number): string | undefined {
  switch (code) {
    case CloseCode.noSuchWorkspace:
      return "Nobody has opened this workspace on this relay yet. Is the link whole, and does the host’s pairpty run?";
    case CloseCode.roomFull:
      return "The room is full.";
    case CloseCode.tryLater:
      return "The room asked this page to try again later.";
    default:
      return undefined;
  }
}
