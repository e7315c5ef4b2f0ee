// Owns the texts for how a question ended. Pure.

import type {
  Approval,
  ApprovalBy,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import { displayName } from "../../protocol/names.ts";
import { formatCommandLine } from "../../protocol/formats.ts";
import { shorten } from "./visible-text.ts";

/** Fits a toast's one or two lines. */
const MAX_CHARS = 80;

/** Formats an outcome. `mine` is this page's own answer: then the text names no one. */
export function formatOutcome(
  approval: Approval,
  { outcome, by, answer, reason }: ApprovalSettled,
  mine: ApprovalWord | undefined,
): string {
  const line = shorten(formatCommandLine(approval), MAX_CHARS);
  const who = mine !== undefined && mine === answer ? undefined : formatAnswerer(by);
  switch (outcome) {
    case "allowed":
      return toMessage(who, `allowed${formatScope(answer)}: ${line}`);
    case "denied": {
      const quote = reason ? ` (“${shorten(reason, MAX_CHARS)}”)` : "";
      return toMessage(who, `denied: ${line}${quote}`);
    }
    case "expired":
      return `No one answered in time: ${line}`;
    case "withdrawn":
      return `Withdrawn: ${line}`;
    default:
      return outcome satisfies never;
  }
}

function formatAnswerer(by: ApprovalBy | undefined): string {
  if (by === undefined) return "Someone";
  // The host answered in pairpty's own window, or with `pairpty approve`.
  if (by.door === "tty" || by.door === "control") return "The host";
  return displayName(by.name, by.label || (by.door === "people" ? "Someone" : "The host"));
}

function formatScope(answer: ApprovalWord | undefined): string {
  if (answer === "session") return " for the agent’s session";
  return answer === "prefix" ? ", along with similar commands" : "";
}

function toMessage(who: string | undefined, rest: string): string {
  return who === undefined ? rest.charAt(0).toUpperCase() + rest.slice(1) : `${who} ${rest}`;
}
