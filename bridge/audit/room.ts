// Owns the audit lines about terminals and grants: what changed, and who changed it.

import { Ends } from "../ends.ts";
import type { GrantTable } from "../grants/table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { actsOf } from "./changes.ts";
import type { AuditLog } from "./log.ts";

/** Writes a line for each event; returns a function that stops it. */
export function auditRoom(
  audit: Pick<AuditLog, "write">,
  pool: Pick<TerminalPool, "onEvent" | "onChange">,
  grants: Pick<GrantTable, "onEvent">,
): () => void {
  const ends = new Ends();
  ends.own(
    pool.onEvent(({ event, terminal: { id, owner, cwd, command, startedBy } }) => {
      // `onChange` below writes the changes.
      if (event === "output" || event === "changed" || event === "promoted") return;
      audit.write({
        event: `terminal ${event}`,
        // A promoted terminal belongs to the user, so it gets no agent's label.
        ...(owner === "agent" && startedBy !== undefined ? { label: startedBy } : {}),
        terminal: id,
        arguments: { owner, cwd, command },
      });
    }),
    pool.onChange(({ terminal: { id, meta }, before, by }) => {
      for (const { event, value } of actsOf(before, meta)) {
        const person = by === undefined ? {} : { grant: by.grant, label: by.label };
        const doer = by === undefined ? {} : { by: by.as };
        const written = { ...value, ...doer };
        audit.write({ event: `terminal ${event}`, ...person, terminal: id, arguments: written });
      }
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
