// Owns the texts of a question: which agent wants what, how risky it is, and with which rights. Pure.

import type { Approval, ApprovalKind } from "../../protocol/approval.ts";
import { lineOf } from "../../protocol/quoting.ts";
import { seen, short } from "../session/lines.ts";

/** Notifications and announcements are one sentence. */
const MOST_CHARS = 160;

export interface Risk {
  readonly text: string;
  readonly tone: "good" | "warn" | "bad";
}

const WISHES: Readonly<Record<ApprovalKind, string>> = {
  command: "wants to run a command",
  input: "wants to type into its terminal",
  write: "wants to write a file",
  permission: "asks for your permission",
};

/** Label of the box, for screen readers. */
const SUBJECTS: Readonly<Record<ApprovalKind, string>> = {
  command: "The command",
  input: "What it types",
  write: "The file",
  permission: "What it asks for",
};

const RISKS: Readonly<Record<Approval["verdict"], Risk>> = {
  safe: { text: "Known to be safe", tone: "good" },
  unknown: { text: "Not known to be safe", tone: "warn" },
  dangerous: { text: "Potentially destructive", tone: "bad" },
  blocked: { text: "Blocked by default", tone: "bad" },
};

const RUNS: Readonly<Record<ApprovalKind, string>> = {
  command: "Runs",
  input: "Typed into a program that is running",
  write: "Written",
  permission: "Done",
};

export function wishOf({ kind }: Approval): string {
  return WISHES[kind];
}

export function subjectOf({ kind }: Approval): string {
  return SUBJECTS[kind];
}

export function riskOf({ verdict }: Approval): Risk {
  return RISKS[verdict];
}

/** Returns a reason of the policy, for people. */
export function reasonOf(why: string): string {
  const [, pattern] = /^pattern: (.*)$/s.exec(why) ?? [];
  return seen(pattern === undefined ? why : `contains ${pattern}`);
}

/** Returns how the command is isolated from the host's machine. */
export function wallOf({ kind, isolation }: Approval): string {
  switch (isolation) {
    case "none":
      return `${RUNS[kind]} as the host’s user, with all their rights.`;
    case "sandbox":
      return `${RUNS[kind]} in a sandbox: it can change the workspace’s files, and no others.`;
    case "container":
      return `${RUNS[kind]} in a container, separate from the host’s system.`;
    default:
      return isolation satisfies never;
  }
}

/** Returns the whole question as one sentence, for announcements and notifications. */
export function sentenceOf(approval: Approval): string {
  const { agent } = approval;
  return `${agent.label} ${wishOf(approval)}: ${short(lineOf(approval), MOST_CHARS)}`;
}

/** Returns the remaining time, as "4:05 left"; undefined if the question does not expire. */
export function timeLeft({ expiresAt }: Approval, now: number): string | undefined {
  if (expiresAt === null) return undefined;
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1000));
  if (seconds === 0) return "time is up";
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}
