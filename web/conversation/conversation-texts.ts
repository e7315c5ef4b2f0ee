// Owns the texts of a conversation: its state, how a turn ended, what a tool call is. Pure.

import type { Conversation, Entry, ToolStatus } from "../../protocol/conversation.ts";
import { showInvisible } from "../session/visible-text.ts";

/** ACP's stop reasons as texts for people. */
const REASONS: Readonly<Record<string, string>> = {
  end_turn: "Done",
  max_tokens: "Stopped at the model’s token limit",
  max_turn_requests: "Stopped at the limit of requests in one turn",
  refusal: "The agent refused to continue",
  cancelled: "Cancelled",
};

const STATUSES: Readonly<Record<ToolStatus, string>> = {
  pending: "waiting",
  in_progress: "running",
  completed: "done",
  failed: "failed",
};

/** ACP's kinds of tool calls, with a symbol that every font has. */
const TOOLS: Readonly<Record<string, { readonly name: string; readonly sign: string }>> = {
  read: { name: "Read", sign: "≡" },
  edit: { name: "Edit", sign: "±" },
  delete: { name: "Delete", sign: "×" },
  move: { name: "Move", sign: "→" },
  search: { name: "Search", sign: "?" },
  execute: { name: "Run", sign: "$" },
  think: { name: "Think", sign: "…" },
  fetch: { name: "Fetch", sign: "↓" },
};

const OTHER = { name: "Tool", sign: "•" };

const OUTCOMES: Readonly<Record<string, string>> = {
  allowed: "allowed",
  denied: "denied",
  withdrawn: "withdrawn",
};

export function formatTurnEnd(reason: string): string {
  return lookUp(REASONS, reason) ?? `The turn ended: ${showInvisible(reason)}`;
}

export function formatStatus(status: ToolStatus): string {
  return lookUp(STATUSES, status) ?? showInvisible(status);
}

export function describeTool(tool: string): { readonly name: string; readonly sign: string } {
  return lookUp(TOOLS, tool) ?? OTHER;
}

export function formatOutcome(outcome: string): string {
  return lookUp(OUTCOMES, outcome) ?? showInvisible(outcome);
}

/** Formats the state as a message; undefined while the agent waits for people. */
export function formatState({ state, why }: Conversation): string | undefined {
  const because = why === undefined || why === "" ? "." : formatReason(showInvisible(why));
  switch (state) {
    case "starting":
      return "The agent is starting…";
    case "idle":
      return undefined;
    case "working":
      return "The agent is working";
    case "lost":
      return `The agent’s connection is lost${because}`;
    case "ended":
      return `This conversation has ended${because}`;
    default:
      return state satisfies never;
  }
}

/** Appends a reason, as its own sentence or as the end of one. */
function formatReason(why: string): string {
  const joint = /^\p{Lu}/u.test(why) ? "." : ":";
  return `${joint} ${why}${/[.!?…]$/.test(why) ? "" : "."}`;
}

/** Formats where the agent runs, and which of its commands pairpty does not see. */
export function formatReach({ via, isolation, agent }: Conversation): string {
  const name = showInvisible(agent.label);
  if (via === "socket")
    return `${name} runs elsewhere. What it does here is subject to pairpty’s policy and approvals.`;
  if (isolation === "none")
    return `${name} runs on the host’s machine, as the host’s user. Commands that it runs without pairpty are not shown and need no approval.`;
  return `${name} runs on the host’s machine, in a ${isolation}. Commands that it runs without pairpty stay inside and are not shown.`;
}

/** Describes an entry for screen readers. */
export function formatKind(entry: Entry, agent: string): string {
  switch (entry.kind) {
    case "prompt":
      return `Prompt by ${formatAuthor(entry.by)}`;
    case "message":
      return `${agent} says`;
    case "thought":
      return `${agent} thinks`;
    case "plan":
      return "Plan";
    case "tool":
      return `${describeTool(entry.tool).name}, ${formatStatus(entry.status)}`;
    case "permission":
      return "Question";
    case "turn":
      return "End of the turn";
    case "note":
      return "Note";
    default:
      return entry satisfies never;
  }
}

export function formatAuthor(by: string): string {
  return by === "" ? "someone" : showInvisible(by);
}

/** Looks up a name that may be missing, ignoring properties that every object inherits. */
function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
