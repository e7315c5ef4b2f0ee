// Owns the audit lines about the room's terminals and grants, whoever changes them.

import { Ends } from "../ends.ts";
import type { GrantTable } from "../grants/table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { AuditLog } from "./log.ts";

/** Returns how to stop. */
export function auditRoom(
  audit: Pick<AuditLog, "write">,
  pool: Pick<TerminalPool, "onEvent">,
  grants: Pick<GrantTable, "onEvent">,
): () => void {
  const ends = new Ends();
  ends.own(
    pool.onEvent(({ event, terminal: { id, owner, cwd, command } }) => {
      if (event === "output") return;
      audit.write({ event: `terminal ${event}`, terminal: id, arguments: { owner, cwd, command } });
    }),
    grants.onEvent(({ event, grant: { id, label, role, scopes, expiresAt } }) => {
      if (event === "renewed") return;
      audit.write({
        event: `grant ${event}`,
        grant: id,
        label,
        arguments: { role, scopes, expiresAt },
      });
    }),
  );
  return () => ends.dispose();
}
