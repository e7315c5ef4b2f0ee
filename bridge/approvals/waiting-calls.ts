// Owns the calls that wait for an approval: how long each is held, and the dialog at the agent's client
// meanwhile. Does not know the approvals' state; the desk decides what follows.

import type { Approval, ApprovalBy, ApprovalWord } from "../../protocol/approval.ts";
import { linkName } from "../../protocol/names.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logErrors } from "../faults.ts";
import type { Log } from "../log.ts";
import type { ApprovalResult } from "../pipeline/pipeline.ts";
import type { ApprovalRequest } from "./approval-request.ts";
import { getSeverity, HOLD_MS } from "./approval-request.ts";

/** A call that waits for an answer. */
interface Waiter {
  readonly request: ApprovalRequest;
  readonly resolve: (permission: ApprovalResult) => void;
  /** Its hold timer, its abort listener, and the dialog at the agent's client. */
  readonly disposables: DisposableStore;
}

/** What a held call can cause. */
export interface HoldActions {
  /** Ends the wait without an answer. */
  leave(): void;
  /** Called when the time for an unknown command is up. */
  onUnknownTimeout(): void;
  answer(word: ApprovalWord, by: ApprovalBy): void;
}

export class WaitingCalls {
  readonly #log: Pick<Log, "error">;
  readonly #waiters = new Map<number, Waiter>();
  #lastId = 0;

  constructor(log: Pick<Log, "error">) {
    this.#log = log;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Returns the request of a call that still waits. */
  get(waiter: number): ApprovalRequest | undefined {
    return this.#waiters.get(waiter)?.request;
  }

  /** Adds a call, then calls `onAdded` with its number. Resolves when the call is released. */
  add(request: ApprovalRequest, onAdded: (waiter: number) => void): Promise<ApprovalResult> {
    const waiter = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiters.set(waiter, { request, resolve, disposables: new DisposableStore() });
      onAdded(waiter);
    });
  }

  /**
   * Holds a call until its time is up, its client leaves, or the approval is settled; the agent's
   * client may show it meanwhile.
   */
  hold(waiter: number, approval: Approval, actions: HoldActions): void {
    const known = this.#waiters.get(waiter);
    if (known === undefined) return;
    const { request, disposables } = known;
    const { signal, judgement, client, caller } = request;
    const leave = () => actions.leave();
    // The hold and its end must not depend on this callback.
    logErrors(this.#log, "a call that waits for an approval", () =>
      request.onPending?.(approval.id),
    )();
    if (signal?.aborted === true) return leave();
    signal?.addEventListener("abort", leave);
    disposables.add(() => signal?.removeEventListener("abort", leave));
    if (request.waitsUntilSettled !== true) {
      const weight = getSeverity(judgement);
      const end = () => (weight === "unknown" ? actions.onUnknownTimeout() : leave());
      const hold = setTimeout(end, HOLD_MS[weight]);
      disposables.add(() => clearTimeout(hold));
    }
    const shown = client?.show(approval, request.key, (answer) => {
      const grant = caller.grant();
      if (grant === undefined) return;
      actions.answer(answer, { label: linkName(grant), door: caller.door.name });
    });
    if (shown === undefined) return undefined;
    disposables.add(() => shown.end());
    return shown.comesAgain ? leave() : undefined;
  }

  release(waiter: number, permission: ApprovalResult): void {
    const known = this.#waiters.get(waiter);
    this.#waiters.delete(waiter);
    known?.disposables.dispose();
    known?.resolve(permission);
  }
}
