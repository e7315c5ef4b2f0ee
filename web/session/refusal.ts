// Owns why the room does not let this page in, in words, and what its person can do.

import { CloseCode } from "../../protocol/codes.ts";
import type { RoomAway } from "../../protocol/room.ts";
import { endOfLink, goneHow } from "./ends.ts";

export interface Explanation {
  readonly title: string;
  readonly text: string;
  /** A command for the host. */
  readonly command?: string;
}

/** `away`: what the room said before it closed the door; `reason`: what it closed it with. */
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
            ? // A bridge of before says nobody's name.
              `${away.by ?? "Somebody"} removed you from this room`
            : "You were not let in",
        text: "If that is a mistake, ask the host. This page opens by itself once they run:",
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
        text: "The relay runs another version. Reload the page. If that does not help, ask the host to update pairpty and the relay.",
      };
    default: {
      const { title, text } = endOfLink(goneHow(reason));
      return { title, text: `${text} They make one with:`, command: "pairpty share" };
    }
  }
}
