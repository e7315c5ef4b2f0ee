// Formats the columns OWNER and ACCESS of `pairpty ls`. Pure.

import { UNNAMED_AGENT } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";

/** Returns the owner; for a terminal that an agent started, also the agent. */
export function formatOwner({ owner, startedBy }: Terminal): string {
  if (startedBy === undefined) return owner;
  const agent = startedBy.startsWith(UNNAMED_AGENT) ? startedBy : `agent ${startedBy}`;
  return owner === "agent" ? agent : `user, from ${startedBy}`;
}

/**
 * Returns what differs from the default: everyone sees the terminal, and only its owner's side types.
 */
export function formatAccess(terminal: Terminal): string {
  const { private: isPrivate, agentsType = [], steppedIn, feed } = terminal;
  const agents = agentsType.map(({ grant, label }) => label || grant).join(", ");
  const parts = [
    isPrivate === true ? "private" : "",
    agents === "" ? "" : `${agents} can type`,
    steppedIn === undefined ? "" : `${steppedIn.label} has stepped in`,
    feed === true ? "command output" : "",
  ];
  return parts.filter((word) => word !== "").join("; ");
}

/** Compares by number, as the page sorts; terminals of an older bridge have none. */
export function compareByNumber(a: Pick<Terminal, "number">, b: Pick<Terminal, "number">): number {
  return (a.number ?? Infinity) - (b.number ?? Infinity) || 0;
}
