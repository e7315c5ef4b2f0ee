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

const CLOCK =
  "If it was made to last longer, the clock of the relay or of the host’s machine may be wrong.";

/** The relay's reason for a token that is not for people. */
const AGENTS_TOKEN = /^This token /;

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
      // The host says what is wrong with a link that its relay accepts.
      if (reason && !AGENTS_TOKEN.test(reason))
        return { title: "This link does not open this room", text: reason };
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
      const why = parseGoneReason(reason);
      const { title, text } = explainLinkEnd(why);
      const clock = why === "expired" ? ` ${CLOCK}` : "";
      return { title, text: `${text}${clock} They make one with:`, command: "pairpty share" };
    }
  }
}
