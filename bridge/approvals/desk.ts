// Owns what the rest of the bridge knows of approvals: the port that doors, dialects and the command
// line use to show and answer questions. Who may answer is decided before they come here.

import type {
  Approval,
  ApprovalBy,
  ApprovalServerMessage,
  ApprovalWord,
} from "../../protocol/approval.ts";

export type DeskEvent = Extract<
  ApprovalServerMessage,
  { type: "approval:requested" | "approval:settled" }
>;

/** What the answers `session` and `prefix` left, until they end with their grant or by a person. */
export interface RuleRow {
  readonly id: string;
  readonly kind: "session" | "prefix";
  readonly grant: string;
  readonly label: string;
  /** What it lets run, as people read it. */
  readonly allows: string;
  readonly cwd: string;
  /** Unix ms. */
  readonly madeAt: number;
}

export type Answered =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: "not_found" | "bad_request" | "forbidden";
      readonly error: string;
    };

export interface ApprovalDesk {
  /** Oldest first. */
  open(): Approval[];
  /** The first answer wins; a later one gets "not_found" with who was quicker. */
  answer(id: string, answer: ApprovalWord, by: ApprovalBy, reason?: string): Answered;
  onEvent(listener: (event: DeskEvent) => void): () => void;
  rules(): RuleRow[];
  /** False when there is no such rule. */
  endRule(id: string): boolean;
}
