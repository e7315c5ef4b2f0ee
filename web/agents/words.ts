// Owns turning a line of the audit log into a timeline entry for people: who, what, and the result.
// Pure.

import type { AuditRow } from "../../protocol/audit.ts";
import { calledBy } from "../../protocol/names.ts";

export const KINDS_OF_DEEDS = [
  "call",
  "command",
  "approval",
  "terminal",
  "person",
  "token",
  "other",
] as const;
export type DeedKind = (typeof KINDS_OF_DEEDS)[number];

export const OUTCOMES = ["done", "asked", "refused"] as const;
export type DeedOutcome = (typeof OUTCOMES)[number];

/** An entry of the timeline. */
export interface Deed {
  readonly at: string;
  /** Display name of the actor or owner; never a bare id. */
  readonly who: string;
  /** The same where that is an agent; undefined for what people and this machine did. */
  readonly agent: string | undefined;
  readonly kind: DeedKind;
  /** The tool or event, such as "bash" or "allowed". */
  readonly what: string;
  /** The command, or another argument that identifies the action. */
  readonly subject: string;
  /** The result, in the log's words; "" if there is none to show. */
  readonly result: string;
  readonly outcome: DeedOutcome;
  /** The policy's reasons for its verdict. */
  readonly why: readonly string[];
  readonly terminal: string | undefined;
}

export interface Filter {
  readonly who: string;
  readonly kind: DeedKind | "";
  readonly outcome: DeedOutcome | "";
  readonly text: string;
}

export const EVERYTHING: Filter = { who: "", kind: "", outcome: "", text: "" };

/** Labels by grant: the log has rows with the grant alone, such as those of a revoked one. */
export type Labels = ReadonlyMap<string, string>;

const UNNAMED_AGENT = "an agent";

export function deedOf(row: AuditRow, labels: Labels = new Map()): Deed {
  const { at, event, label, grant, tool, verdict, outcome, why, terminal } = row;
  const kind = kindOf(event);
  const result = resultOf(kind, verdict, outcome);
  const name = label || labels.get(grant ?? "");
  const isAgents = isByAgent(kind, row);
  return {
    at,
    who: name || (isAgents ? UNNAMED_AGENT : whoseOf(row)),
    agent: isAgents ? name || UNNAMED_AGENT : undefined,
    kind,
    what: whatOf(kind, event, tool) + answererOf(kind, row.arguments),
    subject: subjectOf(row.arguments),
    result,
    outcome: outcomeOf(kind, event, verdict, outcome),
    why: Array.isArray(why) ? why.filter((one) => typeof one === "string") : [],
    terminal,
  };
}

/** Actions of people on their own terminals that concern agents. */
const ABOUT_AGENTS: ReadonlySet<string> = new Set([
  "terminal lets agents type",
  "terminal lets no agent type",
  "terminal promoted",
]);

/**
 * Whether an agent did it, or a person did it about agents. `pairpty audit` also shows people's own
 * links and terminals, and whom they admit or remove.
 */
export function isOfAgents({ event, arguments: given }: AuditRow): boolean {
  const [about] = event.split(" ");
  if (about === "person" || about === "links") return false;
  if (about === "grant") return fieldOf(given, "role") === "agent";
  if (about !== "terminal" || ABOUT_AGENTS.has(event)) return true;
  return fieldOf(given, "owner") === "agent";
}

/** Whether an agent did it, or it is an agent's: its token, its terminal, its question. */
function isByAgent(kind: DeedKind, { grant, label, arguments: given }: AuditRow): boolean {
  switch (kind) {
    case "call":
    case "command":
    case "approval":
      return Boolean(label || grant);
    case "token":
      return fieldOf(given, "role") === "agent";
    case "terminal":
      return fieldOf(given, "owner") === "agent";
    case "person":
    case "other":
      return false;
    default:
      return kind satisfies never;
  }
}

export function matches(deed: Deed, { who, kind, outcome, text }: Filter): boolean {
  if (who !== "" && deed.agent !== who) return false;
  if (kind !== "" && deed.kind !== kind) return false;
  if (outcome !== "" && deed.outcome !== outcome) return false;
  const words = `${deed.who}\n${deed.what}\n${deed.subject}\n${deed.result}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

/** Folds repeated actions into one line with a count and the time of the last. */
export function folded<D extends Deed>(deeds: readonly D[]): readonly (D & { count: number })[] {
  const lines: (D & { count: number })[] = [];
  for (const deed of deeds) {
    const last = lines.at(-1);
    if (last && isSame(last, deed))
      lines.splice(-1, 1, { ...last, at: deed.at, count: last.count + 1 });
    else lines.push({ ...deed, count: 1 });
  }
  return lines;
}

function isSame(a: Deed, b: Deed): boolean {
  const names = ["who", "kind", "what", "subject", "result", "outcome", "terminal"] as const;
  return names.every((name) => a[name] === b[name]);
}

function kindOf(event: string): DeedKind {
  if (event === "call") return "call";
  if (event === "verdict") return "command";
  if (event === "stepped in" || event === "handed back") return "person";
  const [first = ""] = event.split(" ");
  if (first === "approval" || first === "terminal" || first === "person") return first;
  return first === "grant" ? "token" : "other";
}

function whatOf(kind: DeedKind, event: string, tool: string | undefined): string {
  if (kind === "call") return tool ?? "call";
  if (kind === "command") return "judged";
  return event.replace(/^(approval|terminal|person|grant) /, "");
}

/** Formats who answered, such as " by Ada (team)"; the question itself is the agent's. */
function answererOf(kind: DeedKind, given: unknown): string {
  if (kind !== "approval") return "";
  const by = fieldOf(given, "by");
  const [label, name] = [fieldOf(by, "label"), fieldOf(by, "name")];
  if (typeof label !== "string") return "";
  return ` by ${calledBy(typeof name === "string" ? name : undefined, label)}`;
}

function fieldOf(given: unknown, name: string): unknown {
  if (typeof given !== "object" || given === null) return undefined;
  return new Map<string, unknown>(Object.entries(given)).get(name);
}

function resultOf(
  kind: DeedKind,
  verdict: string | undefined,
  outcome: string | undefined,
): string {
  const said = kind === "call" && outcome === "ok" ? undefined : outcome;
  // An approval entry shows the verdict as the default: the answer decided.
  const judged = kind === "approval" && verdict === "blocked" ? "blocked by default" : verdict;
  return [judged, said].filter(Boolean).join(" · ");
}

function outcomeOf(
  kind: DeedKind,
  event: string,
  verdict: string | undefined,
  outcome: string | undefined,
): DeedOutcome {
  if (kind === "approval") {
    if (event === "approval asked") return "asked";
    return /denied|expired|withdrawn|lapsed/.test(event) ? "refused" : "done";
  }
  if (kind === "command") return verdict === "blocked" ? "refused" : "done";
  if (kind === "call") {
    if (outcome?.startsWith("approval ") === true) return "asked";
    return outcome === undefined || outcome === "ok" ? "done" : "refused";
  }
  return outcome?.startsWith("refused") === true ? "refused" : "done";
}

/** Returns whose a row without a name is. */
function whoseOf({ grant, arguments: given }: AuditRow): string {
  if (fieldOf(given, "owner") !== undefined || grant) return "a person";
  return "this machine";
}

/** Arguments that identify an action, in order of preference. */
const TELLING = [
  "command",
  "line",
  "input",
  "path",
  "allows",
  "person",
  "name",
  "size",
  "agents",
  "terminalId",
  "uri",
  "role",
  "cwd",
];

function subjectOf(given: unknown): string {
  if (given === undefined || given === null) return "";
  if (typeof given === "string") return given;
  if (typeof given !== "object") return JSON.stringify(given) ?? "";
  const fields = new Map<string, unknown>(Object.entries(given));
  const [telling] = TELLING.flatMap((name) => {
    const value = fields.get(name);
    return value === undefined || value === "" ? [] : [value];
  });
  if (Array.isArray(telling)) return telling.join(" ");
  if (typeof telling === "string") return telling;
  // The actor is not part of the subject.
  fields.delete("by");
  return fields.size === 0 ? "" : JSON.stringify(Object.fromEntries(fields));
}
