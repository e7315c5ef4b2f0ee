// Owns the audit messages on people's sockets: pages of the audit log, newest first, and live
// entries.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";

/** As many as a person reads before paging back. */
const MAX_ENTRIES = 200;

export const AuditRequest = z.discriminatedUnion("type", [
  /**
   * Requests the last entries before a position. Without `before`: the newest entries, followed by
   * live ones.
   */
  z.object({
    type: z.literal("audit:open"),
    before: z.optional(z.string().check(z.maxLength(64))),
    limit: z.int().check(z.gte(1), z.lte(MAX_ENTRIES)),
  }),
  /** Stops the live entries. */
  z.object({ type: z.literal("audit:close") }),
]);
export type AuditRequest = z.infer<typeof AuditRequest>;

/** One line of the log, with secrets redacted. Lines of other versions may have more fields. */
export interface AuditRow {
  /** ISO 8601. */
  at: string;
  event: string;
  grant?: string;
  label?: string;
  tool?: string;
  arguments?: unknown;
  verdict?: string;
  why?: string[];
  outcome?: string;
  terminal?: string;
}

export interface AuditEntries {
  type: "audit:entries";
  /** Oldest first; fewer than requested if the lines are long. */
  entries: AuditRow[];
  /** The position before the first entry; null if there is nothing older. */
  before: string | null;
  /** True if the page was requested with `before`. */
  isOlder: boolean;
}

/** Sent live, while the log is open. */
export interface AuditEntry {
  type: "audit:entry";
  entry: AuditRow;
}

/** Sent instead of single entries when too many arrive at once; the log has them. */
export interface AuditSkipped {
  type: "audit:skipped";
  count: number;
}

export interface AuditError {
  type: "audit:error";
  code: ErrorCode;
  error: string;
}

export type AuditServerMessage = AuditEntries | AuditEntry | AuditSkipped | AuditError;
