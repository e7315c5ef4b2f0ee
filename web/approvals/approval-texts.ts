// Owns the texts of a question: which agent wants what, how risky it is, and with which rights. Pure.

import type { Approval, ApprovalKind } from "../../protocol/approval.ts";
import { formatCommandLine } from "../../protocol/formats.ts";
import { showInvisible, shorten } from "../session/visible-text.ts";

/** Notifications and announcements are one sentence. */
const MAX_CHARS = 160;

export interface Risk {
  readonly text: string;
  readonly tone: "good" | "warn" | "bad";
}

const REQUEST_TEXTS: Readonly<Record<ApprovalKind, string>> = {
  command: "wants to run a command",
  input: "wants to type into its terminal",
  write: "wants to write a file",
  permission: "asks for your permission",
};

/** Label of the box, for screen readers. */
const SUBJECT_LABELS: Readonly<Record<ApprovalKind, string>> = {
  command: "The command",
  input: "What it types",
  write: "The file",
  permission: "What it asks for",
};

const RISK_TEXTS: Readonly<Record<Approval["verdict"], Risk>> = {
  safe: { text: "Known to be safe", tone: "good" },
  unknown: { text: "Not known to be safe", tone: "warn" },
  dangerous: { text: "Potentially destructive", tone: "bad" },
  blocked: { text: "Blocked by default", tone: "bad" },
};

const RUN_TEXTS: Readonly<Record<ApprovalKind, string>> = {
  command: "Runs",
  input: "Typed into a program that is running",
  write: "Written",
  permission: "Done",
};

export function formatRequest({ kind }: Approval): string {
  return REQUEST_TEXTS[kind];
}

export function getSubjectLabel({ kind }: Approval): string {
  return SUBJECT_LABELS[kind];
}

export function getRisk({ verdict }: Approval): Risk {
  return RISK_TEXTS[verdict];
}

/** Returns a reason of the policy, for people. */
export function formatReason(why: string): string {
  const [, pattern] = /^pattern: (.*)$/s.exec(why) ?? [];
  return showInvisible(pattern === undefined ? why : `contains ${pattern}`);
}

/** Returns how the command is isolated from the host's machine. */
export function formatIsolation({ kind, isolation }: Approval): string {
  switch (isolation) {
    case "none":
      return `${RUN_TEXTS[kind]} as the host’s user, with all their rights.`;
    case "sandbox":
      return `${RUN_TEXTS[kind]} in a sandbox: it can change the workspace’s files, and no others.`;
    case "container":
      return `${RUN_TEXTS[kind]} in a container, separate from the host’s system.`;
    default:
      return isolation satisfies never;
  }
}

/** Returns the whole question as one sentence, for announcements and notifications. */
export function formatQuestion(approval: Approval): string {
  const { agent } = approval;
  return `${agent.label} ${formatRequest(approval)}: ${shorten(formatCommandLine(approval), MAX_CHARS)}`;
}

/** Returns the remaining time, as "4:05 left"; undefined if the question does not expire. */
export function formatTimeLeft({ expiresAt }: Approval, now: number): string | undefined {
  if (expiresAt === null) return undefined;
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1000));
  if (seconds === 0) return "time is up";
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}
