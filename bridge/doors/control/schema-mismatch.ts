// Owns the error for an invalid request of the command line: which argument, and what is allowed.
// Pure. Commands define what an argument means.

import type * as z from "zod/mini";

type Issue = z.core.$ZodIssue;

/** Names of request fields for people; others are shown as they are. */
const ARGUMENT_NAMES = new Map([
  ["who", "the person's name or id"],
  ["name", "the name"],
  ["id", "the id"],
  ["reason", "the reason"],
  ["label", "the label (--label)"],
  ["expiresInMs", "the time (--expires)"],
  ["code", "the code (--code)"],
  ["out", "the file (--out)"],
  ["cols", "the number of columns"],
  ["rows", "the number of rows"],
  ["cwd", "the folder"],
  ["command", "the command"],
]);

const OTHER_VERSION_HINT =
  "The running bridge may be another version of pairpty: run `pairpty stop`, then start it again";

export interface SchemaMismatch {
  readonly error: string;
  readonly hint?: string;
}

export function toSchemaMismatch(
  value: unknown,
  { issues }: { readonly issues: readonly Issue[] },
): SchemaMismatch {
  const [issue] = issues;
  const field = issue?.path[0];
  if (issue === undefined || field === undefined || field === "verb") {
    return {
      error: `the running bridge does not know ${formatVerb(value)}`,
      hint: `${OTHER_VERSION_HINT}.`,
    };
  }
  const argument = ARGUMENT_NAMES.get(String(field)) ?? String(field);
  const allowed = formatAllowed(issue);
  if (allowed !== undefined) return { error: `${argument} ${allowed}` };
  return {
    error: `${argument} is not supported by the running bridge`,
    hint: `${OTHER_VERSION_HINT}.`,
  };
}

/** Returns what the rule allows, as a sentence; undefined for rules without one. */
function formatAllowed(issue: Issue): string | undefined {
  switch (issue.code) {
    case "too_big":
      return `${isNumber(issue.origin) ? "is" : "has"} at most ${issue.maximum}${formatUnit(issue.origin)}`;
    case "too_small":
      return issue.minimum === 1 && !isNumber(issue.origin)
        ? "must not be empty"
        : `${isNumber(issue.origin) ? "is" : "has"} at least ${issue.minimum}${formatUnit(issue.origin)}`;
    case "invalid_value":
      return `is one of ${issue.values.map(String).join(", ")}`;
    default:
      return undefined;
  }
}

function isNumber(origin: string): boolean {
  return origin === "number" || origin === "int";
}

function formatUnit(origin: string): string {
  if (origin === "string") return " characters";
  return isNumber(origin) ? "" : " entries";
}

function formatVerb(value: unknown): string {
  const isObject = typeof value === "object" && value !== null && "verb" in value;
  const verb = isObject ? value.verb : undefined;
  return typeof verb === "string" ? `the command ${verb.slice(0, 60)}` : "this request";
}
