// Owns what the rest of the bridge knows of approvals: the port by which questions are
// shown and answered, and the register of the surfaces that do. Who may answer is decided before they
// come here.

import type { NotSaved } from "../workspace/durable-file.ts";
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
  | {
      readonly ok: true;
      /** The call was allowed, and the rule that was to stay could not be kept. */
      readonly notSaved?: NotSaved;
    }
  | {
      readonly ok: false;
      readonly code: "not_found" | "bad_request" | "forbidden";
      readonly error: string;
    };

/**
 * Who is at a surface now. "told": somebody hears of a question there, and cannot answer it there (a
 * bell, a chat): that is nobody to ask, so such a surface hears only of what another one is asked.
 * "answers": somebody sees it, and may answer.
 */
export type Attendance = "nobody" | "told" | "answers";

/**
 * A place where people see questions: the page, the window of the bridge. Who may answer there it
 * decides itself; with nobody who answers at any of them an agent is told so at once.
 */
export interface ApprovalSurface {
  attendance(): Attendance;
  told(event: DeskEvent): void;
}

export interface ApprovalDesk {
  /** From now on the surface is told, and counts; returns its end. What is open it asks for itself. */
  register(surface: ApprovalSurface): () => void;

  /** Oldest first. */
  open(): Approval[];
  /** Who answered it, or what else became of it; undefined while it is open. */
  whyNotOpen(id: string): string | undefined;
  /** The first answer wins; a later one gets "not_found" with who was quicker. */
  answer(id: string, answer: ApprovalWord, by: ApprovalBy, reason?: string): Answered;
  /** For parts of the bridge that only take note, as recordings do: they are no surface. */
  onEvent(listener: (event: DeskEvent) => void): () => void;
  rules(): RuleRow[];
  /** False when there is no such rule. */
  endRule(id: string): boolean;
}
