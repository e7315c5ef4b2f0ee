// Owns turning a line of the audit log into a timeline entry for people: who, what, and the result.
// Pure.

import type { AuditRow } from "../../protocol/audit.ts";
import { displayName } from "../../protocol/names.ts";

export const ACTION_KINDS = [
  "call",
  "command",
  "approval",
  "terminal",
  "person",
  "token",
  "other",
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

export const ACTION_OUTCOMES = ["done", "asked", "refused"] as const;
export type ActionOutcome = (typeof ACTION_OUTCOMES)[number];

/** An entry of the timeline. */
export interface AgentAction {
  readonly at: string;
  /** Display name of the actor or owner; never a bare id. */
  readonly who: string;
  /** The agent that did it; undefined for actions of people and of this machine. */
  readonly agent: string | undefined;
  readonly kind: ActionKind;
  /** The tool or event, such as "bash" or "allowed". */
  readonly what: string;
  /** The command, or another argument that identifies the action. */
  readonly subject: string;
  /** The result, in the log's words; "" if there is none to show. */
  readonly result: string;
  readonly outcome: ActionOutcome;
  /** The policy's reasons for its verdict. */
  readonly why: readonly string[];
  readonly terminal: string | undefined;
}

export interface Filter {
  readonly who: string;
  readonly kind: ActionKind | "";
  readonly outcome: ActionOutcome | "";
  readonly text: string;
}

export const NO_FILTER: Filter = { who: "", kind: "", outcome: "", text: "" };

/** Labels by grant: the log has rows with the grant alone, such as those of a revoked one. */
export type Labels = ReadonlyMap<string, string>;

const UNNAMED_AGENT = "an agent";

export function toAction(row: AuditRow, labels: Labels = new Map()): AgentAction {
  const { at, event, label, grant, tool, verdict, outcome, why, terminal } = row;
  const kind = toKind(event);
  const result = formatResult(kind, verdict, outcome);
  const name = label || labels.get(grant ?? "");
  const isAgents = isByAgent(kind, row);
  return {
    at,
    who: name || (isAgents ? UNNAMED_AGENT : formatOwner(row)),
    agent: isAgents ? name || UNNAMED_AGENT : undefined,
    kind,
    what: formatWhat(kind, event, tool) + formatAnswerer(kind, row.arguments),
    subject: formatSubject(row.arguments),
    result,
    outcome: toOutcome(kind, event, verdict, outcome),
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
export function concernsAgents({ event, arguments: args }: AuditRow): boolean {
  const [about] = event.split(" ");
  if (about === "person" || about === "links") return false;
  if (about === "grant") return getField(args, "role") === "agent";
  if (about !== "terminal" || ABOUT_AGENTS.has(event)) return true;
  return getField(args, "owner") === "agent";
}

/** Whether an agent did it, or it is an agent's: its token, its terminal, its question. */
function isByAgent(kind: ActionKind, { grant, label, arguments: args }: AuditRow): boolean {
  switch (kind) {
    case "call":
    case "command":
    case "approval":
      return Boolean(label || grant);
    case "token":
      return getField(args, "role") === "agent";
    case "terminal":
      return getField(args, "owner") === "agent";
    case "person":
    case "other":
      return false;
    default:
      return kind satisfies never;
  }
}

export function matches(action: AgentAction, { who, kind, outcome, text }: Filter): boolean {
  if (who !== "" && action.agent !== who) return false;
  if (kind !== "" && action.kind !== kind) return false;
  if (outcome !== "" && action.outcome !== outcome) return false;
  const words = `${action.who}\n${action.what}\n${action.subject}\n${action.result}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

/** Folds repeated actions into one line with a count and the time of the last. */
export function foldRepeats<D extends AgentAction>(
  actions: readonly D[],
): readonly (D & { count: number })[] {
  const lines: (D & { count: number })[] = [];
  for (const action of actions) {
    const last = lines.at(-1);
    if (last && isSame(last, action))
      lines.splice(-1, 1, { ...last, at: action.at, count: last.count + 1 });
    else lines.push({ ...action, count: 1 });
  }
  return lines;
}

function isSame(a: AgentAction, b: AgentAction): boolean {
  const names = ["who", "kind", "what", "subject", "result", "outcome", "terminal"] as const;
  return names.every((name) => a[name] === b[name]);
}

function toKind(event: string): ActionKind {
  if (event === "call") return "call";
  if (event === "verdict") return "command";
  if (event === "stepped in" || event === "handed back") return "person";
  const [first = ""] = event.split(" ");
  if (first === "approval" || first === "terminal" || first === "person") return first;
  return first === "grant" ? "token" : "other";
}

function formatWhat(kind: ActionKind, event: string, tool: string | undefined): string {
  if (kind === "call") return tool ?? "call";
  if (kind === "command") return "judged";
  return event.replace(/^(approval|terminal|person|grant) /, "");
}

/** Formats who answered, such as " by Ada (team)"; the question itself is the agent's. */
function formatAnswerer(kind: ActionKind, args: unknown): string {
  if (kind !== "approval") return "";
  const by = getField(args, "by");
  const [label, name] = [getField(by, "label"), getField(by, "name")];
  if (typeof label !== "string") return "";
  return ` by ${displayName({ name: typeof name === "string" ? name : undefined, label })}`;
}

function getField(args: unknown, name: string): unknown {
  if (typeof args !== "object" || args === null) return undefined;
  return new Map<string, unknown>(Object.entries(args)).get(name);
}

function formatResult(
  kind: ActionKind,
  verdict: string | undefined,
  outcome: string | undefined,
): string {
  const shownOutcome = kind === "call" && outcome === "ok" ? undefined : outcome;
  // An approval entry shows the verdict as the default: the answer decided.
  const judged = kind === "approval" && verdict === "blocked" ? "blocked by default" : verdict;
  return [judged, shownOutcome].filter(Boolean).join(" · ");
}

function toOutcome(
  kind: ActionKind,
  event: string,
  verdict: string | undefined,
  outcome: string | undefined,
): ActionOutcome {
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
function formatOwner({ grant, arguments: args }: AuditRow): string {
  if (getField(args, "owner") !== undefined || grant) return "a person";
  return "this machine";
}

/** Arguments that identify an action, in order of preference. */
const SUBJECT_ARGUMENTS = [
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

function formatSubject(args: unknown): string {
  if (args === undefined || args === null) return "";
  if (typeof args === "string") return args;
  if (typeof args !== "object") return JSON.stringify(args) ?? "";
  const fields = new Map<string, unknown>(Object.entries(args));
  const [subject] = SUBJECT_ARGUMENTS.flatMap((name) => {
    const value = fields.get(name);
    return value === undefined || value === "" ? [] : [value];
  });
  if (Array.isArray(subject)) return subject.join(" ");
  if (typeof subject === "string") return subject;
  // The actor is not part of the subject.
  fields.delete("by");
  return fields.size === 0 ? "" : JSON.stringify(Object.fromEntries(fields));
}
