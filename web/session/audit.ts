// Owns the audit dialect in the page: passes audit entries to the timeline that is open.

import type { AuditServerMessage } from "../../protocol/audit.ts";
import type { PageDialect } from "./dialect.ts";
import type { Store } from "./store.ts";

export function auditDialect({ timeline }: Pick<Store, "timeline">) {
  return {
    handlers: {
      "audit:entries": (message) => timeline.peek()?.onEntries(message),
      "audit:entry": ({ entry }) => timeline.peek()?.onEntry(entry),
      "audit:skipped": ({ count }) => timeline.peek()?.onSkipped(count),
      "audit:error": ({ error }) => timeline.peek()?.onError(error),
    },
  } satisfies PageDialect<AuditServerMessage>;
}
