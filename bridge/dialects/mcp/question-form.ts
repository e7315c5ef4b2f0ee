// Owns a question as the agent's own client shows it: the message, the form, and reading its
// answer. Pure.

import type { ElicitInputParams } from "@modelcontextprotocol/server";
import type { Approval } from "../../../protocol/approval.ts";
import { ApprovalWord, splitReasons } from "../../../protocol/approval.ts";

/** Characters of a command that a dialog shows. */
const MAX_SHOWN_CHARS = 2_000;

export function fitsDialog(approval: Approval): boolean {
  return formatCommand(approval).length <= MAX_SHOWN_CHARS;
}

export function formatQuestion(approval: Approval): string {
  const { cwd, agent, rule } = approval;
  const command = formatCommand(approval);
  const shown =
    command.length > MAX_SHOWN_CHARS ? `${command.slice(0, MAX_SHOWN_CHARS)}…` : command;
  const { gravest, more, notes } = splitReasons(approval);
  const count = `${more.length} more ${more.length === 1 ? "reason" : "reasons"}`;
  const others = more.length === 0 ? "" : `, and ${count}`;
  const reason = gravest === undefined ? "" : ` (${gravest}${others})`;
  const prefix = rule === undefined ? "" : ` "prefix" also allows every "${rule}".`;
  return [`${agent.label} wants to run in ${cwd}: ${shown}${reason}.${prefix}`, ...notes].join(
    "\n",
  );
}

/** Returns a form with one choice and no default, so that it is not answered by accident. */
export function toAnswerForm({ offers }: Approval): ElicitInputParams["requestedSchema"] {
  return {
    type: "object",
    properties: { answer: { type: "string", title: "Answer", enum: [...offers] } },
    required: ["answer"],
  };
}

/** Returns the answer; undefined if the person gave neither a yes nor a no. */
export function parseAnswer(result: {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}): ApprovalWord | undefined {
  if (result.action === "decline") return "deny";
  if (result.action === "cancel") return undefined;
  return ApprovalWord.safeParse(result.content?.["answer"]).data;
}

/** Returns the command as one text. */
export function formatCommand({ command }: Approval): string {
  return typeof command === "string" ? command : command.join(" ");
}
