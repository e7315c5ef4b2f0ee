// Owns the texts for agents about approvals: why one was needed, its outcome, and what to do next.
// Pure.

import { splitReasons } from "../../protocol/approval.ts";
import type { CallOutcome } from "./approval-machine.ts";
import { MAX_OPEN_PER_GRANT } from "./approval-machine.ts";

const WHY_CHARS = 300;

export interface Reasons {
  readonly why: readonly string[];
  readonly notes?: readonly string[] | undefined;
}

/** Formats the gravest reason in parentheses; the others are a field of their own [Q106]. */
function formatGravest(reasons: Reasons): string {
  const { gravest, notes } = splitReasons(reasons);
  const shown = gravest ?? notes[0] ?? "";
  return shown === "" ? "" : ` (${shown.slice(0, WHY_CHARS)})`;
}

/** Returns how each of these texts begins. */
function formatNeedsApproval(reasons: Reasons): string {
  return `Command needs approval${formatGravest(reasons)}`;
}

/** Reason recorded when an unknown command runs without an answer. */
export const ALLOWED_BY_TIMEOUT = "no answer within 10 s";

/** Formats the error for a command that is too long to show. */
export function formatTooLong(reasons: Reasons): string {
  return `${formatNeedsApproval(reasons)}, but is too long to show to a person. Save it to a file in the workspace and run that.`;
}

/** Formats the error when no surface is attended. */
export function formatUnattended(reasons: Reasons): string {
  return `${formatNeedsApproval(reasons)}, but no one is available to approve it. Ask the user to open the workspace's page with an Edit link, or to check the terminal where pairpty runs; then make the same call again.`;
}

/** Formats the error for a call whose wait is over while its approval stays open. */
export function formatStillOpen(reasons: Reasons, id: string): string {
  return `${formatNeedsApproval(reasons)}. No answer yet: approval ${id} is open; make the same call again.`;
}

export function formatRelease(
  reasons: Reasons,
  release: Exclude<CallOutcome, { outcome: "allowed" }>,
): string {
  switch (release.outcome) {
    case "denied": {
      const { reason } = release;
      return reason === undefined || reason === ""
        ? `A person denied this${formatGravest(reasons)}. Do not try it another way; ask what they want instead.`
        : `A person denied this: ${reason}`;
    }
    case "expired":
      return `${formatNeedsApproval(reasons)}. No one answered, and approval ${release.id} has expired; make the same call to ask again.`;
    case "withdrawn":
      return `${formatNeedsApproval(reasons)}. Approval ${release.id} was withdrawn: its terminal, this token or pairpty itself has ended.`;
    case "tooMany":
      return `${formatNeedsApproval(reasons)}. ${MAX_OPEN_PER_GRANT} approvals of this token are already open; try again when a person has answered one of them.`;
  }
}
