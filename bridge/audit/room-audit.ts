// Owns the audit lines about terminals and grants: what changed, and who changed it.

import { DisposableStore } from "../disposable-store.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import { toAuditEvents } from "./terminal-changes.ts";
import type { AuditLog } from "./audit-log.ts";

/** Writes a line for each event; returns a function that stops it. */
export function auditRoom(
  audit: Pick<AuditLog, "write">,
  pool: Pick<TerminalPool, "onEvent" | "onChange">,
  grants: Pick<GrantTable, "onEvent">,
): () => void {
  const disposables = new DisposableStore();
  disposables.add(
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
      for (const { event, value } of toAuditEvents(before, meta)) {
        const person = by === undefined ? {} : { grant: by.grant, label: by.label };
        const actor = by === undefined ? {} : { by: by.as };
        const details = { ...value, ...actor };
        audit.write({ event: `terminal ${event}`, ...person, terminal: id, arguments: details });
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
  return () => disposables.dispose();
}
