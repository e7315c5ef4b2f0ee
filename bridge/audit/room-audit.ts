// Owns the audit lines about terminals and grants: what changed, and who changed it. Also owns the
// audit log's events for changes of a terminal: the event's name and the new value. Pure. Stepping
// in, recordings and sessions write their own lines.

import { DisposableStore } from "../disposable-store.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { Meta } from "../terminals/terminal.ts";
import type { AuditLog } from "./audit-log.ts";
import { grantName } from "../../protocol/names.ts";

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

export interface TerminalAuditEvent {
  readonly event: string;
  readonly value?: Readonly<Record<string, unknown>>;
}

type EventsByField = {
  readonly [Key in keyof Meta]?: (meta: Meta) => TerminalAuditEvent | undefined;
};

const none = () => undefined;

/** By field of the terminal's metadata; a field without a row is logged as "changed". */
const EVENTS: EventsByField = {
  name: ({ name }) =>
    name === undefined ? { event: "got its own name back" } : { event: "renamed", value: { name } },
  pinned: ({ pinned }) =>
    pinned === undefined
      ? { event: "unpinned" }
      : { event: "pinned", value: { size: `${pinned.cols}x${pinned.rows}` } },
  private: (meta) => ({ event: meta.private === true ? "made private" : "made visible" }),
  agentsType: ({ agentsType }) =>
    agentsType === undefined
      ? { event: "lets no agent type" }
      : {
          event: "lets agents type",
          value: { agents: agentsType.grants.map(grantName) },
        },
  owner: ({ owner, cwd, command }) => ({ event: "promoted", value: { owner, cwd, command } }),
  // These change only together with another field.
  visible: none,
  lifetime: none,
  // The code that changes these writes its own line.
  steppedIn: none,
  hidden: none,
  recording: none,
  session: none,
};

const BY_FIELD = new Map(Object.entries(EVENTS));

function toAuditEvents(before: Meta, after: Meta): TerminalAuditEvent[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const fields = new Set([...was.keys(), ...is.keys()]);
  return [...fields].flatMap((field) => {
    if (JSON.stringify(was.get(field)) === JSON.stringify(is.get(field))) return [];
    const toEvent = BY_FIELD.get(field);
    const event =
      toEvent === undefined ? { event: "changed", value: { what: field } } : toEvent(after);
    return event === undefined ? [] : [event];
  });
}
