// Owns the approval messages on people's sockets: a person's yes or no to what an agent wants to
// do. `bridge/approvals/` makes the decisions.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import { Isolation } from "./isolation.ts";

export const APPROVAL_KINDS = ["command", "input", "write", "permission"] as const;
export const ApprovalKind = z.enum(APPROVAL_KINDS);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/**
 * once: this plan. session: the same plan while the grant lasts. prefix: commands of this grant
 * that begin the same way. deny: no.
 */
export const ApprovalWord = z.enum(["once", "session", "prefix", "deny"]);
export type ApprovalWord = z.infer<typeof ApprovalWord>;

export const ApprovalOutcome = z.enum(["allowed", "denied", "expired", "withdrawn"]);
export type ApprovalOutcome = z.infer<typeof ApprovalOutcome>;

export const ApprovalId = z.string().check(z.minLength(1), z.maxLength(32));

export const MAX_REASON_CHARS = 500;

/** One open approval, as sent to every caller that may answer it. */
export const Approval = z.object({
  id: ApprovalId,
  kind: ApprovalKind,
  agent: z.object({ grant: z.string(), label: z.string() }),
  /** The tool or method that requires the approval. */
  via: z.string(),
  /** The command line as the agent gave it; an array only if the agent gave an array. */
  command: z.union([z.array(z.string()), z.string()]),
  /** Present if the kind is "write". */
  diff: z.optional(z.string()),
  cwd: z.string(),
  verdict: z.enum(["safe", "unknown", "dangerous", "blocked"]),
  /** Reasons, the gravest first: cards show the first one, the others behind "more". */
  why: z.array(z.string()),
  /** The reasons in `why` that name what runs or where: cards always show them. Absent from older bridges. */
  notes: z.optional(z.array(z.string())),
  isolation: Isolation,
  /**
   * The possible answers: always `once` and `deny`; `session` and `prefix` only where a standing
   * rule is allowed.
   */
  offers: z.array(ApprovalWord),
  /** The commands that the answer `prefix` would allow, as text: `npm run build …`. */
  rule: z.optional(z.string()),
  /** Unix ms. */
  askedAt: z.int(),
  /** Unix ms; null: stays open until answered or withdrawn. */
  expiresAt: z.nullable(z.int()),
});
export type Approval = z.infer<typeof Approval>;

export interface CardReasons {
  /** Undefined where there are only notes, or nothing. */
  readonly gravest: string | undefined;
  readonly more: readonly string[];
  readonly notes: readonly string[];
}

/** Splits the reasons of a question as cards show them: the gravest, those behind "more", the notes. */
export function splitReasons({
  why,
  notes = [],
}: {
  readonly why: readonly string[];
  readonly notes?: readonly string[] | undefined;
}): CardReasons {
  const [gravest, ...more] = why.filter((reason) => !notes.includes(reason));
  return { gravest, more, notes };
}

/** Accepted only from callers with the role `edit`. */
export const ApprovalAnswer = z.object({
  type: z.literal("approval:answer"),
  id: ApprovalId,
  answer: ApprovalWord,
  reason: z.optional(z.string().check(z.maxLength(MAX_REASON_CHARS))),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** Sent on joining and when the bridge reconnects; an `approval:requested` for each id follows. */
export interface ApprovalOpen {
  type: "approval:open";
  ids: string[];
}

export interface ApprovalRequested {
  type: "approval:requested";
  approval: Approval;
}

/** The person who answered: the label of their link, their chosen name and the door they used. */
export interface ApprovalBy {
  label: string;
  name?: string;
  door: string;
}

export interface ApprovalSettled {
  type: "approval:settled";
  id: string;
  outcome: ApprovalOutcome;
  by?: ApprovalBy;
  answer?: ApprovalWord;
  reason?: string;
}

export interface ApprovalError {
  type: "approval:error";
  id?: string;
  code: ErrorCode;
  error: string;
}

export type ApprovalServerMessage =
  | ApprovalOpen
  | ApprovalRequested
  | ApprovalSettled
  | ApprovalError;
