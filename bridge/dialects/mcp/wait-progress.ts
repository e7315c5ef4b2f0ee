// Owns showing the agent's user what a held call waits for: MCP progress notifications, for clients
// that request them with a token. They cannot answer the question.

import type { ServerContext } from "@modelcontextprotocol/server";
import { SdkError } from "@modelcontextprotocol/server";
import type { Approval } from "../../../protocol/approval.ts";
import { toOneLine } from "../../../protocol/title.ts";
import { logFault } from "../../faults.ts";
import type { Log } from "../../log.ts";
import { formatCommand } from "./question-form.ts";

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
