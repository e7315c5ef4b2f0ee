// Owns the record of settled approvals: a person who answers too late learns who answered first, or
// how it ended.

import type { ApprovalBy, ApprovalSettled } from "../../protocol/approval.ts";

/** Enough for late answers; older ones get "no open approval". */
const REMEMBERED = 100;

export class Settled {
  readonly #lately = new Map<string, ApprovalSettled>();

  add(settled: ApprovalSettled): void {
    this.#lately.set(settled.id, settled);
    const [oldest] = this.#lately.keys();
    if (this.#lately.size > REMEMBERED && oldest !== undefined) this.#lately.delete(oldest);
  }

  /** Returns whose answer counted. */
  answerOf(id: string): ApprovalBy | undefined {
    return this.#lately.get(id)?.by;
  }

  whyNot(id: string): string {
    const settled = this.#lately.get(id);
    if (settled === undefined) return `There is no open approval ${id}`;
    const { outcome, by } = settled;
    if (by !== undefined) return `Approval ${id} was already ${outcome} by ${by.name ?? by.label}`;
    return outcome === "allowed"
      ? `Approval ${id} was already allowed: no one answered in time`
      : `Approval ${id} is ${outcome}`;
  }
}
