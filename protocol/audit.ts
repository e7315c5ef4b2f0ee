// Owns how people read the audit log: what agents did, page by page from the newest, and what comes.

import * as z from "zod/mini";
import type { ErrorCode } from "./codes.ts";

/** As many as a person reads before asking for more. */
const MOST_ENTRIES = 200;

export const AuditRequest = z.discriminatedUnion("type", [
  /** The last entries before a place, or the last of all: then those that come are told, too. */
  z.object({
    type: z.literal("audit:open"),
    before: z.optional(z.string().check(z.maxLength(64))),
    limit: z.int().check(z.gte(1), z.lte(MOST_ENTRIES)),
  }),
  /** No more of those that come. */
  z.object({ type: z.literal("audit:close") }),
]);
export type AuditRequest = z.infer<typeof AuditRequest>;

/** One line of the log, without what looked like a secret. Lines of other versions may have more. */
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
  /** Oldest first; fewer than were asked for where they are long. */
  entries: AuditRow[];
  /** The place before the first of them; null where there is nothing older. */
  before: string | null;
  /** Of a page that was asked for by its place. */
  isOlder: boolean;
}

/** While it is open, as it happens. */
export interface AuditEntry {
  type: "audit:entry";
  entry: AuditRow;
}

/** More came at once than are told one by one: the log has them. */
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
