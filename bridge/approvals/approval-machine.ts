// Owns the life of an approval: requested → allowed | denied | expired | withdrawn, and allowed →
// used. Takes a state and an event, returns a state and effects; the time comes with the event.
// Pure: no timers, no messages, no processes.

import { compact } from "../../protocol/compact.ts";
import type {
  Approval,
  ApprovalBy,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import type { Claim } from "./approval-rules.ts";

/** More open approvals of one agent are a flood. */
export const MAX_OPEN_PER_GRANT = 5;
/** How long an answer is kept for the next identical call, if no call waited for it. */
export const ANSWER_KEPT_MS = 10 * 60_000;

interface ItemBase {
  readonly approval: Approval;
  /** Identifies what the approval covers, by its digest. */
  readonly claim: Claim;
}

type Item = ItemBase &
  (
    | { readonly state: "requested"; readonly waiting: ReadonlySet<number> }
    /** Answered while no call waited; the next identical call uses the answer. */
    | { readonly state: "allowed"; readonly lapsesAt: number }
    | { readonly state: "denied"; readonly lapsesAt: number; readonly reason: string | undefined }
  );

/** Keyed by approval id, oldest first. */
export type ApprovalState = ReadonlyMap<string, Item>;

export const EMPTY_STATE: ApprovalState = new Map();

export type ApprovalInput =
  /** `waiter` numbers the call; the caller of `stepApproval` chooses it. */
  | {
      readonly event: "asked";
      readonly waiter: number;
      readonly approval: Approval;
      readonly claim: Claim;
    }
  /** The call no longer waits; the approval stays open. */
  | { readonly event: "left"; readonly waiter: number }
  | {
      readonly event: "answered";
      readonly id: string;
      readonly answer: ApprovalWord;
      readonly by: ApprovalBy;
      readonly reason?: string | undefined;
    }
  /** No person answered, and the user's config lets unknown commands run then. */
  | { readonly event: "let"; readonly id: string; readonly reason: string }
  | { readonly event: "grantEnded"; readonly grant: string }
  /** The terminal that the approval is about has ended. */
  | { readonly event: "subjectEnded"; readonly subject: string }
  /** The bridge stops; every approval is withdrawn. */
  | { readonly event: "over" }
  | { readonly event: "tick" };

/** The result for a call that waited. */
export type CallOutcome =
  | { readonly outcome: "allowed" }
  | { readonly outcome: "denied"; readonly reason: string | undefined }
  | { readonly outcome: "expired" | "withdrawn"; readonly id: string }
  | { readonly outcome: "tooMany" };

export type Effect =
  | { readonly effect: "requested"; readonly approval: Approval }
  /** The call waits for this approval, its own or an earlier identical one. */
  | { readonly effect: "waits"; readonly waiter: number; readonly id: string }
  | { readonly effect: "released"; readonly waiter: number; readonly release: CallOutcome }
  | { readonly effect: "settled"; readonly approval: Approval; readonly settled: ApprovalSettled }
  /** used: an allowed command runs now. lapsed: no call used the answer in time. */
  | { readonly effect: "used" | "lapsed"; readonly approval: Approval }
  | {
      readonly effect: "rule";
      readonly kind: "session" | "prefix";
      readonly approval: Approval;
      readonly claim: Claim;
    };

export interface Transition {
  readonly state: ApprovalState;
  readonly effects: readonly Effect[];
}

/** Applies an event. Expires what is overdue first, however late the timer fired. */
export function stepApproval(before: ApprovalState, event: ApprovalInput, now: number): Transition {
  const timely = expire(before, now);
  const { state, effects } = carryOut(timely.state, event, now);
  return { state, effects: [...timely.effects, ...effects] };
}

/** Returns when the next approval expires or answer lapses, in Unix ms. */
export function findNextDeadline(state: ApprovalState): number | undefined {
  const times = [...state.values()].flatMap((item) => getEndTime(item) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether an answer is stored for the next call with this digest. */
export function isAnswered(state: ApprovalState, key: string): boolean {
  return [...state.values()].some((item) => item.claim.key === key && item.state !== "requested");
}

/** Returns the id of the approval that a call waits for. */
export function findAwaitedApproval(state: ApprovalState, waiter: number): string | undefined {
  for (const [id, item] of state) {
    if (item.state === "requested" && item.waiting.has(waiter)) return id;
  }
  return undefined;
}

/** Returns the open approvals, oldest first. */
export function listOpen(state: ApprovalState): Approval[] {
  return [...state.values()].flatMap((item) => (item.state === "requested" ? item.approval : []));
}

function carryOut(state: ApprovalState, event: ApprovalInput, now: number): Transition {
  switch (event.event) {
    case "asked":
      return addRequest(state, event);
    case "left":
      return leave(state, event.waiter);
    case "answered":
      return answer(state, event, now);
    case "let":
      return settle(state, event.id, { outcome: "allowed", reason: event.reason }, now);
    case "grantEnded":
      return withdraw(state, (item) => item.approval.agent.grant === event.grant);
    case "subjectEnded":
      return withdraw(state, (item) => item.claim.subject === event.subject);
    case "over":
      return withdraw(state, () => true);
    case "tick":
      return { state, effects: [] };
  }
}

function addRequest(
  state: ApprovalState,
  { waiter, approval, claim }: Extract<ApprovalInput, { event: "asked" }>,
): Transition {
  const known = [...state.values()].find((item) => item.claim.key === claim.key);
  if (known?.state === "requested") {
    const waiting = new Set(known.waiting).add(waiter);
    const { id } = known.approval;
    return {
      state: new Map(state).set(id, { ...known, waiting }),
      effects: [{ effect: "waits", waiter, id }],
    };
  }
  if (known !== undefined) return useAnswer(state, known, waiter);
  const { grant } = approval.agent;
  const others = listOpen(state).filter(({ agent }) => agent.grant === grant);
  if (others.length >= MAX_OPEN_PER_GRANT) {
    return { state, effects: [{ effect: "released", waiter, release: { outcome: "tooMany" } }] };
  }
  const item: Item = { state: "requested", approval, claim, waiting: new Set([waiter]) };
  return {
    state: new Map(state).set(approval.id, item),
    effects: [
      { effect: "requested", approval },
      { effect: "waits", waiter, id: approval.id },
    ],
  };
}

/** Consumes a stored answer; the next identical call asks again. */
function useAnswer(
  state: ApprovalState,
  known: Exclude<Item, { state: "requested" }>,
  waiter: number,
): Transition {
  const { approval } = known;
  const after = without(state, approval.id);
  if (known.state === "denied") {
    const release = { outcome: "denied", reason: known.reason } as const;
    return { state: after, effects: [{ effect: "released", waiter, release }] };
  }
  return {
    state: after,
    effects: [
      { effect: "used", approval },
      { effect: "released", waiter, release: { outcome: "allowed" } },
    ],
  };
}

function leave(state: ApprovalState, waiter: number): Transition {
  const after = new Map(state);
  for (const [id, item] of state) {
    if (item.state !== "requested" || !item.waiting.has(waiter)) continue;
    const waiting = new Set([...item.waiting].filter((other) => other !== waiter));
    after.set(id, { ...item, waiting });
  }
  return { state: after, effects: [] };
}

function answer(
  state: ApprovalState,
  { id, answer: word, by, reason }: Extract<ApprovalInput, { event: "answered" }>,
  now: number,
): Transition {
  // Ignores answers to a settled approval, and answers that were not offered.
  if (state.get(id)?.approval.offers.includes(word) !== true) return { state, effects: [] };
  const outcome = word === "deny" ? "denied" : "allowed";
  return settle(state, id, { outcome, by, answer: word, ...compact({ reason }) }, now);
}

type Answer = Omit<ApprovalSettled, "type" | "id" | "outcome"> & {
  readonly outcome: "allowed" | "denied";
};

/** Settles an approval for the waiting calls, or keeps the answer for the next identical one. */
function settle(state: ApprovalState, id: string, given: Answer, now: number): Transition {
  const item = state.get(id);
  if (item?.state !== "requested") return { state, effects: [] };
  const { approval, claim, waiting } = item;
  const { outcome, answer: word, reason } = given;
  const effects: Effect[] = [toSettledEffect(approval, given)];
  const isRule = word === "session" || word === "prefix";
  if (isRule) effects.push({ effect: "rule", kind: word, approval, claim });
  const isUsed = outcome === "allowed" && waiting.size > 0;
  if (isUsed) effects.push({ effect: "used", approval });
  const release: CallOutcome = outcome === "allowed" ? { outcome } : { outcome, reason };
  for (const waiter of waiting) effects.push({ effect: "released", waiter, release });
  // A rule applies on its own until it is ended, so no answer is kept beside it.
  if (waiting.size > 0 || isRule) return { state: without(state, id), effects };
  const lapsesAt = now + ANSWER_KEPT_MS;
  const kept: Item =
    outcome === "allowed"
      ? { state: "allowed", approval, claim, lapsesAt }
      : { state: "denied", approval, claim, lapsesAt, reason };
  return { state: new Map(state).set(id, kept), effects };
}

function withdraw(state: ApprovalState, isOver: (item: Item) => boolean): Transition {
  return end(state, isOver, "withdrawn");
}

function expire(state: ApprovalState, now: number): Transition {
  return end(state, (item) => (getEndTime(item) ?? Infinity) <= now, "expired");
}

function end(
  state: ApprovalState,
  isOver: (item: Item) => boolean,
  outcome: "expired" | "withdrawn",
): Transition {
  const effects: Effect[] = [];
  const after = new Map(state);
  for (const [id, item] of state) {
    if (!isOver(item)) continue;
    after.delete(id);
    const { approval } = item;
    if (item.state === "allowed") effects.push({ effect: "lapsed", approval });
    if (item.state !== "requested") continue;
    effects.push(toSettledEffect(approval, { outcome }));
    for (const waiter of item.waiting) {
      effects.push({ effect: "released", waiter, release: { outcome, id } });
    }
  }
  return { state: after, effects };
}

function getEndTime(item: Item): number | undefined {
  return item.state === "requested" ? (item.approval.expiresAt ?? undefined) : item.lapsesAt;
}

function toSettledEffect(approval: Approval, given: Omit<ApprovalSettled, "type" | "id">): Effect {
  return {
    effect: "settled",
    approval,
    settled: { type: "approval:settled", id: approval.id, ...given },
  };
}

function without(state: ApprovalState, id: string): ApprovalState {
  const after = new Map(state);
  after.delete(id);
  return after;
}
