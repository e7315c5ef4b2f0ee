// Owns the texts for agents about approvals: why one was needed, its outcome, and what to do next.
// Pure.

import type { CallOutcome } from "./approval-machine.ts";
import { MAX_OPEN_PER_GRANT } from "./approval-machine.ts";

const WHY_CHARS = 300;

/** Returns how each of these texts begins. */
function formatNeedsApproval(why: readonly string[]): string {
  const reasons = why.join("; ").slice(0, WHY_CHARS);
  return reasons === "" ? "Command needs approval" : `Command needs approval (${reasons})`;
}

/** Reason recorded when an unknown command runs without an answer. */
export const ALLOWED_BY_TIMEOUT = "no answer within 10 s";

/** Formats the error for a command that is too long to show. */
export function formatTooLong(why: readonly string[]): string {
  return `${formatNeedsApproval(why)}, but is too long to show to a person. Save it to a file in the workspace and run that.`;
}

/** Formats the error when no surface is attended. */
export function formatUnattended(why: readonly string[]): string {
  return `${formatNeedsApproval(why)}, but no one is available to approve it. Ask the user to open the workspace's page with an Edit link, or to check the terminal where pairpty runs; then make the same call again.`;
}

/** Formats the error for a call whose wait is over while its approval stays open. */
export function formatStillOpen(why: readonly string[], id: string): string {
  return `${formatNeedsApproval(why)}. No answer yet: approval ${id} is open; make the same call again.`;
}

export function formatRelease(
  why: readonly string[],
  release: Exclude<CallOutcome, { outcome: "allowed" }>,
): string {
  switch (release.outcome) {
    case "denied": {
      const { reason } = release;
      return reason === undefined || reason === ""
        ? `A person denied this (${why.join("; ").slice(0, WHY_CHARS)}). Do not try it another way; ask what they want instead.`
        : `A person denied this: ${reason}`;
    }
    case "expired":
      return `${formatNeedsApproval(why)}. No one answered, and approval ${release.id} has expired; make the same call to ask again.`;
    case "withdrawn":
      return `${formatNeedsApproval(why)}. Approval ${release.id} was withdrawn: its terminal, this token or pairpty itself has ended.`;
    case "tooMany":
      return `${formatNeedsApproval(why)}. ${MAX_OPEN_PER_GRANT} approvals of this token are already open; try again when a person has answered one of them.`;
  }
}
