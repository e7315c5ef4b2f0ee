// Owns how a question ended, in words. Pure.

import type {
  Approval,
  ApprovalBy,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import { calledBy } from "../../protocol/names.ts";
import { lineOf } from "../../protocol/quoting.ts";
import { short } from "./lines.ts";

/** A toast is a line or two. */
const MOST_CHARS = 80;

/** `mine` is what this page answered: then nobody needs to be told who did. */
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
      return `Nobody answered in time: ${line}`;
    case "withdrawn":
      return `No longer asked: ${line}`;
    default:
      return outcome satisfies never;
  }
}

function whoIs(by: ApprovalBy | undefined): string {
  if (by === undefined) return "Somebody";
  // In pairpty's own window, or with `pairpty approve`.
  if (by.door === "tty" || by.door === "control") return "The host";
  return calledBy(by.name, by.label || (by.door === "people" ? "Somebody" : "The host"));
}

function extentOf(answer: ApprovalWord | undefined): string {
  if (answer === "session") return " for the agent’s session";
  return answer === "prefix" ? ", with all that begins alike" : "";
}

function sentence(who: string | undefined, rest: string): string {
  return who === undefined ? rest.charAt(0).toUpperCase() + rest.slice(1) : `${who} ${rest}`;
}
