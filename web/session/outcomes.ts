// Owns the texts for how a question ended. Pure.

import type {
  Approval,
  ApprovalBy,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import { calledBy } from "../../protocol/names.ts";
import { lineOf } from "../../protocol/quoting.ts";
import { short } from "./lines.ts";

/** Fits a toast's one or two lines. */
const MOST_CHARS = 80;

/** Formats an outcome. `mine` is this page's own answer: then the text names no one. */
export function outcomeOf(
  approval: Approval,
  { outcome, by, answer, reason }: ApprovalSettled,
  mine: ApprovalWord | undefined,
): string {
  const line = short(lineOf(approval), MOST_CHARS);
  const who = mine !== undefined && mine === answer ? undefined : whoIs(by);
  switch (outcome) {
    case "allowed":
      return sentence(who, `allowed${extentOf(answer)}: ${line}`);
    case "denied": {
      const said = reason ? ` (“${short(reason, MOST_CHARS)}”)` : "";
      return sentence(who, `denied: ${line}${said}`);
    }
    case "expired":
      return `No one answered in time: ${line}`;
    case "withdrawn":
      return `Withdrawn: ${line}`;
    default:
      return outcome satisfies never;
  }
}

function whoIs(by: ApprovalBy | undefined): string {
  if (by === undefined) return "Someone";
  // The host answered in pairpty's own window, or with `pairpty approve`.
  if (by.door === "tty" || by.door === "control") return "The host";
  return calledBy(by.name, by.label || (by.door === "people" ? "Someone" : "The host"));
}

function extentOf(answer: ApprovalWord | undefined): string {
  if (answer === "session") return " for the agent’s session";
  return answer === "prefix" ? ", along with similar commands" : "";
}

function sentence(who: string | undefined, rest: string): string {
  return who === undefined ? rest.charAt(0).toUpperCase() + rest.slice(1) : `${who} ${rest}`;
}
