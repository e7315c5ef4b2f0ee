// Owns the memory of questions that are over: a person who answers too late learns who answered
// first, or why nobody can answer any more.

import type { ApprovalBy, ApprovalSettled } from "../../protocol/approval.ts";

/** Somebody who answers one that is older has been away for long. */
const REMEMBERED = 100;

export class Settled {
  readonly #lately = new Map<string, ApprovalSettled>();

  add(settled: ApprovalSettled): void {
    this.#lately.set(settled.id, settled);
    const [oldest] = this.#lately.keys();
    if (this.#lately.size > REMEMBERED && oldest !== undefined) this.#lately.delete(oldest);
  }

  /** Whose answer counted. */
  answerOf(id: string): ApprovalBy | undefined {
    return this.#lately.get(id)?.by;
  }

  whyNot(id: string): string {
    const settled = this.#lately.get(id);
    if (settled === undefined) return `There is no open approval ${id}`;
    const { outcome, by } = settled;
    if (by !== undefined) return `Approval ${id} was ${outcome} by ${by.name ?? by.label} already`;
    return outcome === "allowed"
      ? `Approval ${id} was allowed already: nobody answered in time`
      : `Approval ${id} is ${outcome}`;
  }
}
