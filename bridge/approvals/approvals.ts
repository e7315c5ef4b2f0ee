// Owns the approvals of one bridge while they are open: which calls wait for which approval, and who is
// notified. What follows from an answer is decided in approval-machine.ts, who may answer by the
// surfaces (desk.ts); waiting-calls.ts holds the calls. Starts nothing.

import type { Approval, ApprovalBy, ApprovalWord } from "../../protocol/approval.ts";
import { linkName } from "../../protocol/names.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { GrantSource } from "../callers/hub.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logFault, logErrors } from "../faults.ts";
import { Emitter } from "../emitter.ts";
import type { Log } from "../log.ts";
import type { ApprovalResult } from "../pipeline/pipeline.ts";
import { NotSavedError } from "../workspace/durable-file.ts";
import type { AnswerResult, ApprovalDesk, ApprovalSurface, DeskEvent, RuleRow } from "./desk.ts";
import type { ApprovalRequest } from "./approval-request.ts";
import {
  newApprovalId,
  toApproval,
  toClaim,
  isTooLong,
  ApprovalAudit,
  ALLOWED_BY_TIMEOUT,
  formatUnattended,
  formatStillOpen,
  formatRelease,
  formatTooLong,
  SettledApprovals,
  toRefused,
} from "./approval-request.ts";
import type { Effect, ApprovalInput, CallOutcome } from "./approval-machine.ts";
import {
  isAnswered,
  findNextDeadline,
  EMPTY_STATE,
  listOpen,
  findAwaitedApproval,
  stepApproval,
} from "./approval-machine.ts";
import type { Rules } from "./approval-rules.ts";
import { WaitingCalls } from "./waiting-calls.ts";

/** What happens to an unknown command if no person answers while its call is held. */
export const ON_UNKNOWN_TIMEOUT = ["deny", "allow"] as const;
export type OnUnknownTimeout = (typeof ON_UNKNOWN_TIMEOUT)[number];

export interface ApprovalsDeps {
  readonly grants: Pick<GrantSource, "onEvent">;
  readonly audit: Pick<AuditLog, "write">;
  readonly onUnknownTimeout: OnUnknownTimeout;
  readonly rules: Rules;
  readonly log: Pick<Log, "error">;
  readonly now?: () => number;
  readonly newId?: () => string;
}

export class Approvals implements ApprovalDesk {
  readonly #deps: ApprovalsDeps;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #record: ApprovalAudit;
  readonly #events = new Emitter<[DeskEvent]>();
  readonly #surfaces = new Set<ApprovalSurface>();
  readonly #waiters: WaitingCalls;
  readonly #settled = new SettledApprovals();
  readonly #disposables = new DisposableStore();
  #state = EMPTY_STATE;
  /** Set when the last answer's rule could not be saved. */
  #saveError: NotSavedError | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: ApprovalsDeps) {
    this.#deps = deps;
    this.#waiters = new WaitingCalls(deps.log);
    this.#now = deps.now ?? Date.now;
    this.#newId = deps.newId ?? newApprovalId;
    this.#record = new ApprovalAudit(deps.audit);
    this.#disposables.add(
      () => clearTimeout(this.#timer),
      deps.grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") this.#onGrantEnded(grant.id);
      }),
    );
  }

  /** Withdraws all open approvals. */
  dispose(): void {
    this.#dispatch({ event: "over" });
    this.#disposables.dispose();
  }

  /** Withdraws the approvals about a terminal that has ended. */
  onSubjectEnded(subject: string): void {
    this.#dispatch({ event: "subjectEnded", subject });
  }

  register(surface: ApprovalSurface): () => void {
    this.#surfaces.add(surface);
    const end = this.onEvent((event) => surface.notify(event));
    return () => {
      this.#surfaces.delete(surface);
      end();
    };
  }

  /** Resolves when a person has answered, or when the call has waited long enough. */
  async request(request: ApprovalRequest): Promise<ApprovalResult> {
    const claim = toClaim(request);
    const { judgement } = request;
    const rule = this.#deps.rules.find(claim);
    if (rule !== undefined) {
      this.#record.writeRule("used", rule);
      return { ok: true, isByRule: true };
    }
    const approval = toApproval(this.#newId(), request, this.#now());
    if (isTooLong(approval)) return toRefused(judgement, formatTooLong(judgement));
    this.#applyClientAnswer(request);
    if (!this.#canBeAnswered(request)) return toRefused(judgement, formatUnattended(judgement));
    return await this.#waiters.add(request, (waiter) =>
      this.#dispatch({ event: "asked", waiter, approval, claim }),
    );
  }

  listOpen(): Approval[] {
    return listOpen(this.#state);
  }

  closedReason(id: string): string | undefined {
    const isOpen = this.listOpen().some((one) => one.id === id);
    return isOpen ? undefined : this.#settled.closedReason(id);
  }

  answer(id: string, answer: ApprovalWord, by: ApprovalBy, reason?: string): AnswerResult {
    const approval = this.listOpen().find((one) => one.id === id);
    if (approval === undefined) {
      return { ok: false, code: "not_found", error: this.#settled.closedReason(id) };
    }
    if (!approval.offers.includes(answer)) {
      const error = `This approval accepts ${approval.offers.join(", ")}; not ${answer}`;
      return { ok: false, code: "bad_request", error };
    }
    this.#saveError = undefined;
    this.#dispatch({ event: "answered", id, answer, by, reason });
    const notSaved = this.#saveError;
    // The approval may have expired just before this answer.
    return this.#settled.findAnswerer(id) === by
      ? { ok: true, ...(notSaved === undefined ? {} : { notSaved }) }
      : { ok: false, code: "not_found", error: this.#settled.closedReason(id) };
  }

  onEvent(listener: (event: DeskEvent) => void): () => void {
    // A throwing listener must not stop the others, or fail the call that asks.
    return this.#events.add(logErrors(this.#deps.log, "an approval event's listener", listener));
  }

  listRules(): RuleRow[] {
    return this.#deps.rules.list();
  }

  endRule(id: string): boolean {
    const rule = this.#deps.rules.end(id);
    if (rule !== undefined) this.#record.writeRule("ended", rule);
    return rule !== undefined;
  }

  /** Returns the number of waiting calls. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whether an answer is possible: at a surface, from the agent's client, or given earlier. */
  #canBeAnswered({ key, client }: ApprovalRequest): boolean {
    const isThere = [...this.#surfaces].some((surface) => this.#isAttended(surface));
    return isThere || client?.canShow === true || isAnswered(this.#state, key);
  }

  /** Whether a person can answer at the surface; not if its `attendance()` throws. */
  #isAttended(surface: ApprovalSurface): boolean {
    try {
      return surface.getAttendance() === "answers";
    } catch (error) {
      logFault(this.#deps.log, "the attendance of an approval surface", error);
      return false;
    }
  }

  /**
   * Accepts an answer that the agent's client sent with the call, if its grant allows the client to
   * answer.
   */
  #applyClientAnswer({ key, client, caller }: ApprovalRequest): void {
    const given = client?.takeAnswer(key);
    const grant = caller.grant();
    if (given === undefined || grant === undefined) return;
    this.answer(given.id, given.answer, { label: linkName(grant), door: caller.door.name });
  }

  #onGrantEnded(grant: string): void {
    this.#dispatch({ event: "grantEnded", grant });
    for (const rule of this.#deps.rules.endAllOfGrant(grant)) this.#record.writeRule("ended", rule);
  }

  #dispatch(event: ApprovalInput): void {
    const { state, effects } = stepApproval(this.#state, event, this.#now());
    // Set first: a notified listener may trigger the next event.
    this.#state = state;
    this.#scheduleTick();
    // A failing effect must not stop the rest: other calls wait for theirs.
    const carryOut = logErrors(this.#deps.log, "an approval", (effect: Effect) =>
      this.#applyEffect(effect),
    );
    for (const effect of effects) carryOut(effect);
  }

  #applyEffect(effect: Effect): void {
    switch (effect.effect) {
      case "requested":
        this.#record.writeRequest("asked", effect.approval);
        return this.#events.fire({ type: "approval:requested", approval: effect.approval });
      case "waits":
        return this.#hold(effect.waiter, effect.id);
      case "settled": {
        const { settled, approval } = effect;
        this.#settled.add(settled);
        this.#record.writeSettled(approval, settled);
        return this.#events.fire(settled);
      }
      case "rule":
        return this.#addRule(effect);
      case "released":
        return this.#onReleased(effect.waiter, effect.release);
      case "used":
      case "lapsed":
        return this.#record.writeRequest(effect.effect, effect.approval);
    }
  }

  /** Saves a rule. If the disk refuses, the answer counts for this call alone. */
  #addRule({ kind, approval, claim }: Extract<Effect, { effect: "rule" }>): void {
    const made = { id: this.#newId(), madeAt: this.#now() };
    try {
      const rule = this.#deps.rules.add(kind, made, approval, claim);
      if (rule !== undefined) this.#record.writeRule("made", rule);
    } catch (error) {
      if (!(error instanceof NotSavedError)) throw error;
      this.#deps.log.error(error.message);
      this.#saveError = error;
    }
  }

  #hold(waiter: number, id: string): void {
    const approval = this.listOpen().find((one) => one.id === id);
    if (approval === undefined) return;
    const leave = () => this.#stopWaiting(waiter);
    const allow = () => this.#dispatch({ event: "let", id, reason: ALLOWED_BY_TIMEOUT });
    this.#waiters.hold(waiter, approval, {
      leave,
      onUnknownTimeout: this.#deps.onUnknownTimeout === "allow" ? allow : leave,
      answer: (word, by) => this.answer(id, word, by),
    });
  }

  /** Ends a call's wait without an answer; the approval stays open. */
  #stopWaiting(waiter: number): void {
    const request = this.#waiters.get(waiter);
    const id = findAwaitedApproval(this.#state, waiter);
    if (request === undefined || id === undefined) return;
    this.#dispatch({ event: "left", waiter });
    const { judgement } = request;
    this.#waiters.release(waiter, toRefused(judgement, formatStillOpen(judgement, id)));
  }

  #onReleased(waiter: number, release: CallOutcome): void {
    const request = this.#waiters.get(waiter);
    if (request === undefined) return;
    const { judgement } = request;
    const permission: ApprovalResult =
      release.outcome === "allowed"
        ? { ok: true }
        : toRefused(judgement, formatRelease(judgement, release));
    this.#waiters.release(waiter, permission);
  }

  #scheduleTick(): void {
    clearTimeout(this.#timer);
    const next = findNextDeadline(this.#state);
    if (next === undefined) return;
    const wait = Math.max(0, next - this.#now());
    this.#timer = setTimeout(() => this.#dispatch({ event: "tick" }), wait);
    this.#timer.unref();
  }
}
