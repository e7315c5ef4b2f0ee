// Owns a question as the agent's own client shows it: the message, the form, and reading its
// answer. Also owns showing the agent's user what a held call waits for: MCP progress
// notifications, for clients that request them with a token. They cannot answer the question.

import type { ElicitInputParams, ServerContext } from "@modelcontextprotocol/server";
import { SdkError } from "@modelcontextprotocol/server";
import type { Approval } from "../../../protocol/approval.ts";
import { ApprovalWord, splitReasons } from "../../../protocol/approval.ts";
import { toOneLine } from "../../../protocol/names.ts";
import { logFault } from "../../faults.ts";
import type { Log } from "../../log.ts";

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
function formatCommand({ command }: Approval): string {
  return typeof command === "string" ? command : command.join(" ");
}

/** Often enough to look alive; a call is held for 25 s at most. */
export const PROGRESS_MS = 5_000;
/** Clients show it in one line. */
const MAX_COMMAND_CHARS = 200;

export interface ProgressDeps {
  readonly mcpReq: Pick<ServerContext["mcpReq"], "_meta" | "notify" | "signal">;
  /** Returns the page's address that shows this approval. */
  readonly linkTo: ((id: string) => string) | undefined;
  readonly log: Pick<Log, "error">;
}

/** Reports now and regularly that a call waits for a person; returns how to stop. */
export function reportWaiting(
  { mcpReq, linkTo, log }: ProgressDeps,
  approval: Approval,
): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  const message = formatWaiting(approval, linkTo?.(approval.id));
  let reports = 0;
  const report = async () => {
    const progress = (reports * PROGRESS_MS) / 1_000;
    reports += 1;
    try {
      const params = { progressToken, progress, message };
      await mcpReq.notify({ method: "notifications/progress", params });
    } catch (error) {
      // A client that disconnected aborts its call by the signal.
      const isTheirs = error instanceof SdkError || mcpReq.signal.aborted;
      if (!isTheirs) logFault(log, "progress of a held call", error);
    }
  };
  void report();
  const timer = setInterval(() => void report(), PROGRESS_MS);
  return () => clearInterval(timer);
}

function formatWaiting(approval: Approval, link: string | undefined): string {
  const line = toOneLine(formatCommand(approval));
  const command =
    line.length > MAX_COMMAND_CHARS ? `${line.slice(0, MAX_COMMAND_CHARS - 1)}…` : line;
  const where = link === undefined ? "" : ` at ${link}`;
  return `Waiting for a person to answer approval ${approval.id}${where}: ${command}`;
}
