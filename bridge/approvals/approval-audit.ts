// Owns the audit lines about approvals and rules.

import type { Approval, ApprovalSettled } from "../../protocol/approval.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Rule } from "./approval-rules.ts";

export class ApprovalAudit {
  readonly #audit: Pick<AuditLog, "write">;

  constructor(audit: Pick<AuditLog, "write">) {
    this.#audit = audit;
  }

  writeRequest(what: "asked" | "used" | "lapsed", approval: Approval): void {
    this.#write(what, approval, {});
  }

  /** Records the outcome, the answer, and who answered at which door. */
  writeSettled(approval: Approval, { outcome, by, answer, reason }: ApprovalSettled): void {
    const outcomeText = [answer, reason].filter((word) => word !== undefined).join(": ");
    this.#write(outcome, approval, by === undefined ? {} : { by }, outcomeText);
  }

  writeRule(what: "made" | "used" | "ended", { id, kind, grant, label, allows, cwd }: Rule): void {
    this.#audit.write({
      event: `approval rule ${what}`,
      grant,
      label,
      arguments: { rule: id, kind, allows, cwd },
    });
  }

  #write(what: string, approval: Approval, more: object, outcome = ""): void {
    const { id, agent, via, command, cwd, verdict, why } = approval;
    this.#audit.write({
      event: `approval ${what}`,
      grant: agent.grant,
      label: agent.label,
      tool: via,
      arguments: { approval: id, command, cwd, ...more },
      verdict,
      why,
      ...(outcome === "" ? {} : { outcome }),
    });
  }
}
