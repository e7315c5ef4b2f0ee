// Owns what `pairpty ls` says of whose a terminal is and who gets at it. Text out.

import { UNNAMED_AGENT } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";

/** Whose it is; of one that an agent started, which agent. */
export function ownerText({ owner, startedBy }: Terminal): string {
  if (startedBy === undefined) return owner;
  const agent = startedBy.startsWith(UNNAMED_AGENT) ? startedBy : `agent ${startedBy}`;
  return owner === "agent" ? agent : `user, from ${startedBy}`;
}

/** What differs from a terminal that everybody sees and only its owner's side types into. */
export function accessText(terminal: Terminal): string {
  const { private: isPrivate, agentsType = [], steppedIn, feed } = terminal;
  const agents = agentsType.map(({ grant, label }) => label || grant).join(", ");
  const words = [
    isPrivate === true ? "private" : "",
    agents === "" ? "" : `${agents} may type`,
    steppedIn === undefined ? "" : `${steppedIn.label} has stepped in`,
    feed === true ? "output of commands" : "",
  ];
  return words.filter((word) => word !== "").join("; ");
}

/** As the page has them; one of an older bridge has no number. */
export function byNumber(a: Pick<Terminal, "number">, b: Pick<Terminal, "number">): number {
  return (a.number ?? Infinity) - (b.number ?? Infinity) || 0;
}
