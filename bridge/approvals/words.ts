// Owns what an agent is told about a question to a person: why it was asked, what came of it, and
// what to do next. Pure.

import type { Release } from "./machine.ts";
import { MOST_OPEN_PER_GRANT } from "./machine.ts";

const WHY_CHARS = 300;

/** How each of these sentences begins. */
function needs(why: readonly string[]): string {
  const reasons = why.join("; ").slice(0, WHY_CHARS);
  return reasons === "" ? "Command needs approval" : `Command needs approval (${reasons})`;
}

/** Why a command ran that nobody answered about. */
export const LET = "nobody answered within 10 s";

/** Nobody could read all of it. */
export function tooLongWords(why: readonly string[]): string {
  return `${needs(why)}, but is too long for a person to read. Put it into a file in the workspace, and run that.`;
}

/** Nobody was asked. */
export function nobodyWords(why: readonly string[]): string {
  return `${needs(why)}, and nobody is there to give it. Ask the user to open the workspace's page with an Edit link, or to look at the terminal in which pairpty runs; then make the same call again.`;
}

/** Somebody was asked, and this call waits no longer. */
export function openWords(why: readonly string[], id: string): string {
  return `${needs(why)}. Nobody has answered yet: approval ${id} is open; make the same call again.`;
}

export function releaseWords(
  why: readonly string[],
  release: Exclude<Release, { outcome: "allowed" }>,
): string {
  switch (release.outcome) {
    case "denied": {
      const { reason } = release;
      return reason === undefined || reason === ""
        ? `A person denied this (${why.join("; ").slice(0, WHY_CHARS)}). Do not try it another way; ask what they want instead.`
        : `A person denied this: ${reason}`;
    }
    case "expired":
      return `${needs(why)}. Nobody answered, and approval ${release.id} has expired; make the same call to ask again.`;
    case "withdrawn":
      return `${needs(why)}. Approval ${release.id} was withdrawn: what it was about, this token or pairpty itself has ended.`;
    case "tooMany":
      return `${needs(why)}. ${MOST_OPEN_PER_GRANT} approvals of this token are open already; nobody is asked until a person has answered one of them.`;
  }
}
