// Owns what is said about approvals on people's sockets: a person's yes or no to what an agent wants
// to do. Decides nothing: `bridge/approvals/` does.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";
import { Isolation } from "./isolation.ts";

export const APPROVAL_KINDS = ["command", "input", "write", "permission"] as const;
export const ApprovalKind = z.enum(APPROVAL_KINDS);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

/**
 * once: this plan. session: the same plan while this grant lasts. prefix: what begins alike, of this
 * grant. deny: no.
 */
export const ApprovalWord = z.enum(["once", "session", "prefix", "deny"]);
export type ApprovalWord = z.infer<typeof ApprovalWord>;

export const ApprovalOutcome = z.enum(["allowed", "denied", "expired", "withdrawn"]);
export type ApprovalOutcome = z.infer<typeof ApprovalOutcome>;

export const ApprovalId = z.string().check(z.minLength(1), z.maxLength(32));

/** The longest reason that a person may give. */
export const MAX_REASON_CHARS = 500;

/** One question, as everybody who may answer is told it. */
export const Approval = z.object({
  id: ApprovalId,
  kind: ApprovalKind,
  agent: z.object({ grant: z.string(), label: z.string() }),
  /** The tool or method that asked. */
  via: z.string(),
  /** The line as it was given; words only where words were given. */
  command: z.union([z.array(z.string()), z.string()]),
  /** With kind "write". */
  diff: z.optional(z.string()),
  cwd: z.string(),
  verdict: z.enum(["safe", "unknown", "dangerous", "blocked"]),
  /** Reasons, the gravest first: cards show the first one, the others behind "more". */
  why: z.array(z.string()),
  /** Those of `why` that say what runs or where: cards always show them. Absent from older bridges. */
  notes: z.optional(z.array(z.string())),
  isolation: Isolation,
  /** Which answers are offered: `once` and `deny` always, `session` and `prefix` where they may be. */
  offers: z.array(ApprovalWord),
  /** What the answer `prefix` would let run from then on, in words: `npm run build …`. */
  rule: z.optional(z.string()),
  /** Unix ms. */
  askedAt: z.int(),
  /** Unix ms; null: until it is answered or withdrawn. */
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
export function splitReasons({ why, notes = [] }: Pick<Approval, "why" | "notes">): CardReasons {
  const [gravest, ...more] = why.filter((reason) => !notes.includes(reason));
  return { gravest, more, notes };
}

/** From people, `edit` only. */
export const ApprovalAnswer = z.object({
  type: z.literal("approval:answer"),
  id: ApprovalId,
  answer: ApprovalWord,
  reason: z.optional(z.string().check(z.maxLength(MAX_REASON_CHARS))),
});
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** On joining and after a bridge's return; an `approval:requested` for each follows. */
export interface ApprovalOpen {
  type: "approval:open";
  ids: string[];
}

export interface ApprovalRequested {
  type: "approval:requested";
  approval: Approval;
}

/** Who answered: by the label of the link, the name that they gave, and the door that they came by. */
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
