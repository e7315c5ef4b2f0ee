// Owns the port through which the rest of the bridge shows and answers approvals, and registers
// surfaces. Whether a person may answer is decided before they get here.

import type { NotSavedError } from "../workspace/durable-file.ts";
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

/**
 * A rule made by the answers `session` and `prefix`; lasts until its grant ends or a person removes
 * it.
 */
export interface RuleRow {
  readonly id: string;
  readonly kind: "session" | "prefix";
  readonly grant: string;
  readonly label: string;
  /** The command that it allows, as people read it. */
  readonly allows: string;
  readonly cwd: string;
  /** Unix ms. */
  readonly madeAt: number;
}

export type AnswerResult =
  | {
      readonly ok: true;
      /** Set when the call was allowed but its rule could not be saved. */
      readonly notSaved?: NotSavedError;
    }
  | {
      readonly ok: false;
      readonly code: "not_found" | "bad_request" | "forbidden";
      readonly error: string;
    };

/**
 * Who is at a surface now. "told": people are notified there but cannot answer (a bell, a chat),
 * which does not count as attended. "answers": a person sees the approval and may answer.
 */
export type Attendance = "nobody" | "told" | "answers";

/**
 * A place where people see approvals: the page, the bridge's own window. The surface decides who
 * may answer there. If no surface is attended, an agent's call fails immediately.
 */
export interface ApprovalSurface {
  getAttendance(): Attendance;
  notify(event: DeskEvent): void;
}

export interface ApprovalDesk {
  /** Adds a surface and returns its removal. Does not replay open approvals: see `listOpen`. */
  register(surface: ApprovalSurface): () => void;

  /** Returns the open approvals, oldest first. */
  listOpen(): Approval[];
  /** Returns who answered the approval, or how else it ended; undefined while it is open. */
  closedReason(id: string): string | undefined;
  /**
   * Answers an approval. The first answer wins; a later one gets "not_found", with the name of the
   * person who answered.
   */
  answer(id: string, answer: ApprovalWord, by: ApprovalBy, reason?: string): AnswerResult;
  /** Subscribes without being a surface, for parts that only observe, such as recordings. */
  onEvent(listener: (event: DeskEvent) => void): () => void;
  listRules(): RuleRow[];
  /** Ends a rule; false if there is none with this id. */
  endRule(id: string): boolean;
}
