// Owns a desk for tests, at which somebody sees agents' questions or nobody does.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ApprovalsDeps } from "../../bridge/approvals/approvals.ts";
import { Approvals } from "../../bridge/approvals/approvals.ts";
import type { DeskEvent } from "../../bridge/approvals/desk.ts";
import { Rules } from "../../bridge/approvals/approval-rules.ts";
import type { AuditEntry } from "../../bridge/audit/audit-log.ts";

/** Its one surface is one where somebody answers while `there.person` says so, and keeps what it is told. */
export function attendedDesk(parts: Partial<ApprovalsDeps> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pp-approvals-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const audit: AuditEntry[] = [];
  const messages: DeskEvent[] = [];
  const faults: string[] = [];
  const there = { person: true };
  const approvals = new Approvals({
    grants: { onEvent: () => () => {} },
    audit: { write: (entry) => void audit.push(entry) },
    onUnknownTimeout: "deny",
    rules: new Rules(join(folder, "rules.json"), { error: () => {}, info: () => {} }, () => true),
    log: { error: (line) => void faults.push(line) },
    ...parts,
  });
  approvals.register({
    getAttendance: () => (there.person ? "answers" : "nobody"),
    notify: (event) => void messages.push(event),
  });
  return { approvals, audit, messages, there, faults };
}
