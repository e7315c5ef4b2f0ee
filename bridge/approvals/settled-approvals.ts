// Owns the record of settled approvals: a person who answers too late learns who answered first, or
// how it ended.

import type { ApprovalBy, ApprovalSettled } from "../../protocol/approval.ts";

/** Enough for late answers; older ones get "no open approval". */
const MAX_REMEMBERED = 100;

export class SettledApprovals {
  readonly #recent = new Map<string, ApprovalSettled>();

  add(settled: ApprovalSettled): void {
    this.#recent.set(settled.id, settled);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Returns whose answer counted. */
  findAnswerer(id: string): ApprovalBy | undefined {
    return this.#recent.get(id)?.by;
  }

  closedReason(id: string): string {
    const settled = this.#recent.get(id);
    if (settled === undefined) return `There is no open approval ${id}`;
    const { outcome, by } = settled;
    if (by !== undefined) return `Approval ${id} was already ${outcome} by ${by.name ?? by.label}`;
    return outcome === "allowed"
      ? `Approval ${id} was already allowed: no one answered in time`
      : `Approval ${id} is ${outcome}`;
  }
}
