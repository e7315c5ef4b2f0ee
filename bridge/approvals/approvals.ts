// Owns the approvals of one bridge while they are open: which calls wait for which approval, how
// long, and who is notified. What follows from an answer is decided in machine.ts, who may answer
// by the surfaces (desk.ts). Starts nothing.

import type { Approval, ApprovalBy, ApprovalWord } from "../../protocol/approval.ts";
import type { AuditLog } from "../audit/log.ts";
import { nameOf } from "../callers/caller.ts";
import type { GrantSource } from "../callers/hub.ts";
import { Ends } from "../ends.ts";
import { logFault, unfailing } from "../faults.ts";
import { Listeners } from "../listeners.ts";
import type { Log } from "../log.ts";
import type { Permission } from "../pipeline/pipeline.ts";
import { NotSaved } from "../workspace/durable-file.ts";
import type { Answered, ApprovalDesk, ApprovalSurface, DeskEvent, RuleRow } from "./desk.ts";
import { newApprovalId } from "./ids.ts";
import type { Effect, Event, Release } from "./machine.ts";
import { isAnswered, nextAt, NOTHING_ASKED, open, questionOf, step } from "./machine.ts";
import { ApprovalRecord } from "./record.ts";
import type { Rules } from "./rules.ts";
import { Settled } from "./settled.ts";
import type { ApprovalWish } from "./wish.ts";
import { approvalOf, claimOf, HOLD_MS, isTooLong, weightOf } from "./wish.ts";
import { LET, nobodyWords, openWords, releaseWords, tooLongWords } from "./words.ts";

/** What happens to an unknown command if no person answers while its call is held. */
export const ON_UNKNOWN_TIMEOUT = ["deny", "allow"] as const;
export type OnUnknownTimeout = (typeof ON_UNKNOWN_TIMEOUT)[number];

export interface ApprovalParts {
  readonly grants: Pick<GrantSource, "onEvent">;
  readonly audit: Pick<AuditLog, "write">;
  readonly onUnknownTimeout: OnUnknownTimeout;
  readonly rules: Rules;
  readonly log: Pick<Log, "error">;
  readonly now?: () => number;
  readonly newId?: () => string;
}

/** A call that waits for an answer. */
interface Waiter {
  readonly wish: ApprovalWish;
  readonly resolve: (permission: Permission) => void;
  /** Its hold timer, its abort listener, and the dialog at the agent's client. */
  readonly ends: Ends;
}

export class Approvals implements ApprovalDesk {
  readonly #parts: ApprovalParts;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #record: ApprovalRecord;
  readonly #events = new Listeners<[DeskEvent]>();
  readonly #surfaces = new Set<ApprovalSurface>();
  readonly #waiters = new Map<number, Waiter>();
  readonly #settled = new Settled();
  readonly #ends = new Ends();
  #state = NOTHING_ASKED;
  /** Set when the last answer's rule could not be saved. */
  #notSaved: NotSaved | undefined;
  #lastWaiter = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#newId = parts.newId ?? newApprovalId;
    this.#record = new ApprovalRecord(parts.audit);
    this.#ends.own(
      () => clearTimeout(this.#timer),
      parts.grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") this.#grantEnded(grant.id);
      }),
    );
  }

  /** Withdraws all open approvals. */
  dispose(): void {
    this.#take({ event: "over" });
    this.#ends.dispose();
  }

  /** Withdraws the approvals about a terminal that has ended. */
  subjectEnded(subject: string): void {
    this.#take({ event: "subjectEnded", subject });
  }

  register(surface: ApprovalSurface): () => void {
    this.#surfaces.add(surface);
    const end = this.onEvent((event) => surface.told(event));
    return () => {
      this.#surfaces.delete(surface);
      end();
    };
  }

  /** Resolves when a person has answered, or when the call has waited long enough. */
  async ask(wish: ApprovalWish): Promise<Permission> {
    const claim = claimOf(wish);
    const { why } = wish.judgement;
    const rule = this.#parts.rules.find(claim);
    if (rule !== undefined) {
      this.#record.rule("used", rule);
      return { ok: true, isByRule: true };
    }
    const approval = approvalOf(this.#newId(), wish, this.#now());
    if (isTooLong(approval)) return { ok: false, error: tooLongWords(why) };
    this.#takeGiven(wish);
    if (!this.#canBeAnswered(wish)) return { ok: false, error: nobodyWords(why) };
    const waiter = ++this.#lastWaiter;
    return await new Promise((resolve) => {
      this.#waiters.set(waiter, { wish, resolve, ends: new Ends() });
      this.#take({ event: "asked", waiter, approval, claim });
    });
  }

  open(): Approval[] {
    return open(this.#state);
  }

  whyNotOpen(id: string): string | undefined {
    const isOpen = this.open().some((one) => one.id === id);
    return isOpen ? undefined : this.#settled.whyNot(id);
  }

  answer(id: string, answer: ApprovalWord, by: ApprovalBy, reason?: string): Answered {
    const approval = this.open().find((one) => one.id === id);
    if (approval === undefined) {
      return { ok: false, code: "not_found", error: this.#settled.whyNot(id) };
    }
    if (!approval.offers.includes(answer)) {
      const error = `This approval accepts ${approval.offers.join(", ")}; not ${answer}`;
      return { ok: false, code: "bad_request", error };
    }
    this.#notSaved = undefined;
    this.#take({ event: "answered", id, answer, by, reason });
    const notSaved = this.#notSaved;
    // The approval may have expired just before this answer.
    return this.#settled.answerOf(id) === by
      ? { ok: true, ...(notSaved === undefined ? {} : { notSaved }) }
      : { ok: false, code: "not_found", error: this.#settled.whyNot(id) };
  }

  onEvent(listener: (event: DeskEvent) => void): () => void {
    // A throwing listener must not stop the others, or fail the call that asks.
    return this.#events.add(unfailing(this.#parts.log, "an approval event's listener", listener));
  }

  rules(): RuleRow[] {
    return this.#parts.rules.list();
  }

  endRule(id: string): boolean {
    const rule = this.#parts.rules.end(id);
    if (rule !== undefined) this.#record.rule("ended", rule);
    return rule !== undefined;
  }

  /** Returns the number of waiting calls. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whether an answer is possible: at a surface, from the agent's client, or given earlier. */
  #canBeAnswered({ key, side }: ApprovalWish): boolean {
    const isThere = [...this.#surfaces].some((surface) => this.#isAttended(surface));
    return isThere || side?.canShow === true || isAnswered(this.#state, key);
  }

  /** Whether a person can answer at the surface; not if its `attendance()` throws. */
  #isAttended(surface: ApprovalSurface): boolean {
    try {
      return surface.attendance() === "answers";
    } catch (error) {
      logFault(this.#parts.log, "the attendance of an approval surface", error);
      return false;
    }
  }

  /** Takes an answer that the agent's client brought along, if its grant lets it answer. */
  #takeGiven({ key, side, caller }: ApprovalWish): void {
    const given = side?.given(key);
    const grant = caller.grant();
    if (given === undefined || grant === undefined) return;
    this.answer(given.id, given.answer, { label: nameOf(grant), door: caller.door.name });
  }

  #grantEnded(grant: string): void {
    this.#take({ event: "grantEnded", grant });
    for (const rule of this.#parts.rules.endOf(grant)) this.#record.rule("ended", rule);
  }

  #take(event: Event): void {
    const { state, effects } = step(this.#state, event, this.#now());
    // Set first: a notified listener may trigger the next event.
    this.#state = state;
    this.#arm();
    // A failing effect must not stop the rest: other calls wait for theirs.
    const carryOut = unfailing(this.#parts.log, "an approval", (effect: Effect) =>
      this.#carryOut(effect),
    );
    for (const effect of effects) carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect.effect) {
      case "requested":
        this.#record.approval("asked", effect.approval);
        return this.#events.tell({ type: "approval:requested", approval: effect.approval });
      case "waits":
        return this.#hold(effect.waiter, effect.id);
      case "settled": {
        const { settled, approval } = effect;
        this.#settled.add(settled);
        this.#record.settled(approval, settled);
        return this.#events.tell(settled);
      }
      case "rule":
        return this.#addRule(effect);
      case "released":
        return this.#released(effect.waiter, effect.release);
      case "used":
      case "lapsed":
        return this.#record.approval(effect.effect, effect.approval);
    }
  }

  /** Saves a rule. If the disk refuses, the answer counts for this call alone. */
  #addRule({ kind, approval, claim }: Extract<Effect, { effect: "rule" }>): void {
    const made = { id: this.#newId(), madeAt: this.#now() };
    try {
      const rule = this.#parts.rules.add(kind, made, approval, claim);
      if (rule !== undefined) this.#record.rule("made", rule);
    } catch (error) {
      if (!(error instanceof NotSaved)) throw error;
      this.#parts.log.error(error.message);
      this.#notSaved = error;
    }
  }

  /**
   * Holds a call until its time is up, its client leaves, or the approval is settled; the agent's
   * client may show it meanwhile.
   */
  #hold(waiter: number, id: string): void {
    const known = this.#waiters.get(waiter);
    const approval = this.open().find((one) => one.id === id);
    if (known === undefined || approval === undefined) return;
    const { wish, ends } = known;
    const { signal, judgement, side, caller } = wish;
    const leave = () => this.#leave(waiter);
    // The hold and its end must not depend on this callback.
    unfailing(this.#parts.log, "a call that waits for an approval", () => wish.onAsked?.(id))();
    if (signal?.aborted === true) return leave();
    signal?.addEventListener("abort", leave);
    ends.own(() => signal?.removeEventListener("abort", leave));
    if (wish.waitsOn !== true) {
      const weight = weightOf(judgement);
      const isLet = weight === "unknown" && this.#parts.onUnknownTimeout === "allow";
      const end = () => (isLet ? this.#take({ event: "let", id, reason: LET }) : leave());
      const hold = setTimeout(end, HOLD_MS[weight]);
      ends.own(() => clearTimeout(hold));
    }
    const shown = side?.show(approval, wish.key, (answer) => {
      const grant = caller.grant();
      if (grant !== undefined) {
        this.answer(id, answer, { label: nameOf(grant), door: caller.door.name });
      }
    });
    if (shown === undefined) return undefined;
    ends.own(() => shown.end());
    return shown.comesAgain ? leave() : undefined;
  }

  /** Ends a call's wait without an answer; the approval stays open. */
  #leave(waiter: number): void {
    const known = this.#waiters.get(waiter);
    const id = questionOf(this.#state, waiter);
    if (known === undefined || id === undefined) return;
    this.#take({ event: "left", waiter });
    this.#release(waiter, { ok: false, error: openWords(known.wish.judgement.why, id) });
  }

  #released(waiter: number, release: Release): void {
    const known = this.#waiters.get(waiter);
    if (known === undefined) return;
    const { why } = known.wish.judgement;
    const permission: Permission =
      release.outcome === "allowed"
        ? { ok: true }
        : { ok: false, error: releaseWords(why, release) };
    this.#release(waiter, permission);
  }

  #release(waiter: number, permission: Permission): void {
    const known = this.#waiters.get(waiter);
    this.#waiters.delete(waiter);
    known?.ends.dispose();
    known?.resolve(permission);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const next = nextAt(this.#state);
    if (next === undefined) return;
    const wait = Math.max(0, next - this.#now());
    this.#timer = setTimeout(() => this.#take({ event: "tick" }), wait);
    this.#timer.unref();
  }
}
