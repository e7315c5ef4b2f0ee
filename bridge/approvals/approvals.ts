// Owns the questions of one bridge while they are open: which calls wait for which, how long, and
// who is told. What follows from an answer is the machine's (machine.ts), who may give one the
// surfaces' (desk.ts). Starts nothing.

import { randomInt } from "node:crypto";
import type { Approval, ApprovalBy, ApprovalKind, ApprovalWord } from "../../protocol/approval.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import type { AuditLog } from "../audit/log.ts";
import type { Caller } from "../callers/caller.ts";
import { nameOf } from "../callers/caller.ts";
import { Ends } from "../ends.ts";
import type { GrantSource } from "../callers/hub.ts";
import { Listeners } from "../listeners.ts";
import type { Judgement } from "../pipeline/verdicts.ts";
import type { Answered, ApprovalDesk, DeskEvent, RuleRow } from "./desk.ts";
import type { Effect, Event, Release } from "./machine.ts";
import { nextAt, NOTHING_ASKED, open, step } from "./machine.ts";
import { Settled } from "./settled.ts";
import { nobodyWords, openWords, releaseWords } from "./words.ts";

/** How long a call is held for an answer: an MCP call answers within 50 s of its start. */
export const HOLD_MS = { unknown: 10_000, dangerous: 25_000 } as const;
/** How long a question about what is only unknown stays open. */
export const UNKNOWN_OPEN_MS = 10 * 60_000;

/** What becomes of an unknown command that nobody answers in that time. */
export const ON_UNKNOWN_TIMEOUT = ["deny", "allow"] as const;
export type OnUnknownTimeout = (typeof ON_UNKNOWN_TIMEOUT)[number];

/** Told on the phone, typed at a prompt: no letters that look alike. */
const ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const ID_LENGTH = 6;

/** What somebody is asked. */
export interface ApprovalWish {
  readonly caller: Caller;
  readonly kind: ApprovalKind;
  /** The tool or method. */
  readonly via: string;
  readonly command: string | readonly string[];
  readonly diff?: string | undefined;
  readonly cwd: string;
  readonly judgement: Judgement;
  readonly isolation: Isolation;
  /** The digest of all that the answer is good for, the grant among it. */
  readonly key: string;
  /** Until the question is settled, and not a call's few seconds. */
  readonly waitsOn?: boolean;
  /** Nobody waits for the call any more. */
  readonly signal?: AbortSignal | undefined;
}

export type Permission = { readonly ok: true } | { readonly ok: false; readonly error: string };

export interface ApprovalParts {
  readonly grants: Pick<GrantSource, "onEvent">;
  readonly audit: Pick<AuditLog, "write">;
  /** Whether a person who may answer is connected through the relay. */
  readonly isSomebodyThere: () => boolean;
  readonly onUnknownTimeout: OnUnknownTimeout;
  readonly now?: () => number;
  readonly newId?: () => string;
}

const LET = "nobody answered within 10 s";

interface Waiter {
  readonly why: readonly string[];
  readonly resolve: (permission: Permission) => void;
  /** Of its hold and its signal. */
  readonly ends: Ends;
}

export class Approvals implements ApprovalDesk {
  readonly #parts: ApprovalParts;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #events = new Listeners<[DeskEvent]>();
  readonly #waiters = new Map<number, Waiter>();
  readonly #settled = new Settled();
  readonly #ends = new Ends();
  #state = NOTHING_ASKED;
  #lastWaiter = 0;
  #timer: NodeJS.Timeout | undefined;
  #isHostThere = false;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#newId = parts.newId ?? newId;
    this.#ends.own(
      () => clearTimeout(this.#timer),
      parts.grants.onEvent(({ event, grant }) => {
        if (event === "revoked" || event === "expired") {
          this.#take({ event: "grantEnded", grant: grant.id });
        }
      }),
    );
  }

  /** Withdraws whatever is open. */
  dispose(): void {
    this.#take({ event: "over" });
    this.#ends.dispose();
  }

  /** Whether somebody looks at the terminal in which the bridge runs, and can answer there. */
  hostIsThere(isThere: boolean): void {
    this.#isHostThere = isThere;
  }

  /** Resolves when a person has answered, or when the call is not to wait longer. */
  async ask(wish: ApprovalWish): Promise<Permission> {
    const { signal, judgement } = wish;
    const { why } = judgement;
    if (!this.#isAnswered(wish.key) && !this.#isHostThere && !this.#parts.isSomebodyThere()) {
      return { ok: false, error: nobodyWords(why) };
    }
    const waiter = ++this.#lastWaiter;
    return await new Promise((resolve) => {
      const ends = new Ends();
      this.#waiters.set(waiter, { why, resolve, ends });
      this.#take({ event: "asked", waiter, approval: this.#describe(wish), key: wish.key });
      // It may have been answered there and then.
      if (!this.#waiters.has(waiter)) return;
      const leave = () => this.#leave(waiter);
      if (wish.waitsOn !== true) {
        const weight = weightOf(judgement);
        const isLet = weight === "unknown" && this.#parts.onUnknownTimeout === "allow";
        const hold = setTimeout(() => (isLet ? this.#let(waiter) : leave()), HOLD_MS[weight]);
        ends.own(() => clearTimeout(hold));
      }
      if (signal?.aborted === true) return leave();
      signal?.addEventListener("abort", leave);
      return ends.own(() => signal?.removeEventListener("abort", leave));
    });
  }

  open(): Approval[] {
    return open(this.#state);
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
    this.#take({ event: "answered", id, answer, by, reason });
    // It may have expired while nobody looked at the clock.
    return this.#settled.answerOf(id) === by
      ? { ok: true }
      : { ok: false, code: "not_found", error: this.#settled.whyNot(id) };
  }

  onEvent(listener: (event: DeskEvent) => void): () => void {
    return this.#events.add(listener);
  }

  rules(): RuleRow[] {
    return [];
  }

  endRule(_id: string): boolean {
    return false;
  }

  /** Timers and calls that wait: none, when nothing is asked. */
  get waiting(): number {
    return this.#waiters.size;
  }

  #isAnswered(key: string): boolean {
    return [...this.#state.values()].some((item) => item.key === key && item.state !== "requested");
  }

  #describe({ caller, judgement, ...wish }: ApprovalWish): Approval {
    const now = this.#now();
    const grant = caller.grant();
    const expires = weightOf(judgement) === "unknown";
    return {
      id: this.#newId(),
      kind: wish.kind,
      agent: { grant: caller.grantId, label: grant === undefined ? "" : nameOf(grant) },
      via: wish.via,
      command: typeof wish.command === "string" ? wish.command : [...wish.command],
      ...(wish.diff === undefined ? {} : { diff: wish.diff }),
      cwd: wish.cwd,
      verdict: judgement.verdict,
      why: [...judgement.why],
      isolation: wish.isolation,
      offers: ["once", "deny"],
      askedAt: now,
      expiresAt: expires ? now + UNKNOWN_OPEN_MS : null,
    };
  }

  /** The call has waited long enough, or nobody waits for it; its question stays. */
  #leave(waiter: number): void {
    const known = this.#waiters.get(waiter);
    const id = this.#questionOf(waiter);
    if (known === undefined) return;
    this.#take({ event: "left", waiter });
    this.#release(waiter, { ok: false, error: openWords(known.why, id ?? "") });
  }

  /** Nobody answered, and the user's own config says what follows. */
  #let(waiter: number): void {
    const id = this.#questionOf(waiter);
    if (id !== undefined) this.#take({ event: "let", id, reason: LET });
  }

  #questionOf(waiter: number): string | undefined {
    for (const [id, item] of this.#state) {
      if (item.state === "requested" && item.waiting.has(waiter)) return id;
    }
    return undefined;
  }

  #take(event: Event): void {
    const { state, effects } = step(this.#state, event, this.#now());
    // First: whoever is told may come back with the next event.
    this.#state = state;
    this.#arm();
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect.effect) {
      case "requested":
        this.#audit("approval asked", effect.approval);
        return this.#events.tell({ type: "approval:requested", approval: effect.approval });
      case "settled": {
        const { settled, approval } = effect;
        this.#settled.add(settled);
        this.#audit(`approval ${settled.outcome}`, approval, settled);
        return this.#events.tell(settled);
      }
      case "released":
        return this.#released(effect.waiter, effect.release);
      case "used":
      case "lapsed":
        return this.#audit(`approval ${effect.effect}`, effect.approval);
      case "waits":
      case "rule":
        return undefined;
    }
  }

  #released(waiter: number, release: Release): void {
    const known = this.#waiters.get(waiter);
    if (known === undefined) return;
    const permission: Permission =
      release.outcome === "allowed"
        ? { ok: true }
        : { ok: false, error: releaseWords(known.why, release) };
    this.#release(waiter, permission);
  }

  #release(waiter: number, permission: Permission): void {
    const known = this.#waiters.get(waiter);
    this.#waiters.delete(waiter);
    known?.ends.dispose();
    known?.resolve(permission);
  }

  #audit(
    event: string,
    approval: Approval,
    more?: { by?: ApprovalBy; answer?: ApprovalWord; reason?: string },
  ): void {
    const { id, agent, via, command, cwd, verdict, why } = approval;
    this.#parts.audit.write({
      event,
      grant: agent.grant,
      label: agent.label,
      tool: via,
      arguments: { approval: id, command, cwd, ...(more?.by === undefined ? {} : { by: more.by }) },
      verdict,
      why,
      ...(more?.answer === undefined ? {} : { outcome: [more.answer, more.reason].join(": ") }),
    });
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

/** In lanes where it is asked about, what is blocked counts as dangerous. */
function weightOf({ verdict }: Judgement): keyof typeof HOLD_MS {
  return verdict === "dangerous" || verdict === "blocked" ? "dangerous" : "unknown";
}

function newId(): string {
  let id = "";
  for (let i = 0; i < ID_LENGTH; i++) id += ID_ALPHABET[randomInt(ID_ALPHABET.length)];
  return id;
}
