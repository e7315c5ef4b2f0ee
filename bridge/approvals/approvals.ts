// Owns the questions of one bridge while they are open: which calls wait for which, how long, and
// who is told. What follows from an answer is the machine's (machine.ts), who may give one the
// surfaces' (desk.ts). Starts nothing.

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

/** What becomes of an unknown command that nobody answers while its call is held. */
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
  /** Of its hold, its signal, and what its own side shows. */
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
  /** Why the last answer left no rule. */
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

  /** Withdraws whatever is open. */
  dispose(): void {
    this.#take({ event: "over" });
    this.#ends.dispose();
  }

  /** A terminal has ended: nobody needs to answer about it any more. */
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

  /** Resolves when a person has answered, or when the call is not to wait longer. */
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
      const error = `This approval takes ${approval.offers.join(", ")}; not ${answer}`;
      return { ok: false, code: "bad_request", error };
    }
    this.#notSaved = undefined;
    this.#take({ event: "answered", id, answer, by, reason });
    const notSaved = this.#notSaved;
    // It may have expired while nobody looked at the clock.
    return this.#settled.answerOf(id) === by
      ? { ok: true, ...(notSaved === undefined ? {} : { notSaved }) }
      : { ok: false, code: "not_found", error: this.#settled.whyNot(id) };
  }

  onEvent(listener: (event: DeskEvent) => void): () => void {
    // Its bug is not the silence of those behind it, nor the end of the call that asks.
    return this.#events.add(unfailing(this.#parts.log, "telling of an approval", listener));
  }

  rules(): RuleRow[] {
    return this.#parts.rules.list();
  }

  endRule(id: string): boolean {
    const rule = this.#parts.rules.end(id);
    if (rule !== undefined) this.#record.rule("ended", rule);
    return rule !== undefined;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** By a person, by the agent's own side where that counts, or before. */
  #canBeAnswered({ key, side }: ApprovalWish): boolean {
    const isThere = [...this.#surfaces].some((surface) => this.#isAttended(surface));
    return isThere || side?.canShow === true || isAnswered(this.#state, key);
  }

  /** One that cannot say who is there has nobody. */
  #isAttended(surface: ApprovalSurface): boolean {
    try {
      return surface.attendance() === "answers";
    } catch (error) {
      logFault(this.#parts.log, "who is at an approval surface", error);
      return false;
    }
  }

  /** What the agent's own side brings along, where its grant lets it answer. */
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
    // First: whoever is told may come back with the next event.
    this.#state = state;
    this.#arm();
    // One that fails is not the end of those behind it: other calls wait for theirs.
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

  /** Without room for the rule, the answer is good for this call alone. */
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

  /** For so long, while its client is there, shown by its own side where that can. */
  #hold(waiter: number, id: string): void {
    const known = this.#waiters.get(waiter);
    const approval = this.open().find((one) => one.id === id);
    if (known === undefined || approval === undefined) return;
    const { wish, ends } = known;
    const { signal, judgement, side, caller } = wish;
    const leave = () => this.#leave(waiter);
    // Whatever fails there, the call is held, and let go in time.
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

  /** The call has waited long enough, or nobody waits for it; its question stays. */
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
