// Owns the explanations why the room refuses this page, and what the person can do.

import { CloseCode } from "../../protocol/codes.ts";
import type { RoomAway } from "../../protocol/room.ts";
import { explainLinkEnd, parseGoneReason } from "./end-notices.ts";

export interface Explanation {
  readonly title: string;
  readonly text: string;
  /** A command for the host. */
  readonly command?: string;
}

/** Explains a refusal from the room's last message (`away`) and its close reason. */
export function explainRefusal(
  code: number,
  {
    away,
    reason,
  }: { away?: Pick<RoomAway, "why" | "by" | "you"> | undefined; reason?: string } = {},
): Explanation {
  switch (code) {
    case CloseCode.sentAway:
      return {
        title:
          away?.why === "removed"
            ? // Older bridges send no name.
              `${away.by ?? "Someone"} removed you from this room`
            : "You were not let in",
        text: "If this is a mistake, ask the host. This page opens as soon as they run:",
        command: `pairpty admit ${away?.you ?? "<who>"}`,
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
        text: "The relay runs a different version. Reload the page. If that does not help, ask the host to update pairpty and the relay.",
      };
    default: {
      const { title, text } = explainLinkEnd(parseGoneReason(reason));
      return { title, text: `${text} They make one with:`, command: "pairpty share" };
    }
  }
}
