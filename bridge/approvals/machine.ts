// Owns the life of an approval: requested → allowed | denied | expired | withdrawn, and allowed →
// used. A state and an event make a state and effects; the clock comes in with the event. Pure: it
// has no timers, tells nobody and starts nothing.

import type {
  Approval,
  ApprovalBy,
  ApprovalSettled,
  ApprovalWord,
} from "../../protocol/approval.ts";
import type { Claim } from "./rules.ts";

/** More open questions of one agent are a flood, not work. */
export const MOST_OPEN_PER_GRANT = 5;
/** For the next identical call, when nobody waited for the answer. */
export const ANSWER_KEPT_MS = 10 * 60_000;

interface Asked {
  readonly approval: Approval;
  /** What is asked about is what has this digest, and nothing else. */
  readonly claim: Claim;
}

type Item = Asked &
  (
    | { readonly state: "requested"; readonly waiting: ReadonlySet<number> }
    /** Answered while nobody waited; the next identical call gets it. */
    | { readonly state: "allowed"; readonly lapsesAt: number }
    | { readonly state: "denied"; readonly lapsesAt: number; readonly reason: string | undefined }
  );

/** By id, oldest first. */
export type State = ReadonlyMap<string, Item>;

export const NOTHING_ASKED: State = new Map();

export type Event =
  /** `waiter` is the number of one call, given by whoever makes the event. */
  | {
      readonly event: "asked";
      readonly waiter: number;
      readonly approval: Approval;
      readonly claim: Claim;
    }
  /** Nobody waits for this call any more; its question stays. */
  | { readonly event: "left"; readonly waiter: number }
  | {
      readonly event: "answered";
      readonly id: string;
      readonly answer: ApprovalWord;
      readonly by: ApprovalBy;
      readonly reason?: string | undefined;
    }
  /** The user's own config lets what is unknown run when nobody answers. */
  | { readonly event: "let"; readonly id: string; readonly reason: string }
  | { readonly event: "grantEnded"; readonly grant: string }
  /** The terminal that it is about has ended. */
  | { readonly event: "subjectEnded"; readonly subject: string }
  /** Whoever could answer has gone for good. */
  | { readonly event: "over" }
  | { readonly event: "tick" };

/** What a call that waited is told. */
export type Release =
  | { readonly outcome: "allowed" }
  | { readonly outcome: "denied"; readonly reason: string | undefined }
  | { readonly outcome: "expired" | "withdrawn"; readonly id: string }
  | { readonly outcome: "tooMany" };

export type Effect =
  | { readonly effect: "requested"; readonly approval: Approval }
  /** The call waits for this approval, its own or an earlier one for the same. */
  | { readonly effect: "waits"; readonly waiter: number; readonly id: string }
  | { readonly effect: "released"; readonly waiter: number; readonly release: Release }
  | { readonly effect: "settled"; readonly approval: Approval; readonly settled: ApprovalSettled }
  /** What was allowed runs now, or could not wait longer for a call. */
  | { readonly effect: "used" | "lapsed"; readonly approval: Approval }
  | {
      readonly effect: "rule";
      readonly kind: "session" | "prefix";
      readonly approval: Approval;
      readonly claim: Claim;
    };

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** What is overdue is over before the event counts, however late the clock was looked at. */
export function step(before: State, event: Event, now: number): Step {
  const timely = expire(before, now);
  const { state, effects } = carryOut(timely.state, event, now);
  return { state, effects: [...timely.effects, ...effects] };
}

/** Unix ms of the next thing that happens by itself. */
export function nextAt(state: State): number | undefined {
  const times = [...state.values()].flatMap((item) => endOf(item) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether the next call with this digest finds an answer. */
export function isAnswered(state: State, key: string): boolean {
  return [...state.values()].some((item) => item.claim.key === key && item.state !== "requested");
}

/** The question that a call waits for. */
export function questionOf(state: State, waiter: number): string | undefined {
  for (const [id, item] of state) {
    if (item.state === "requested" && item.waiting.has(waiter)) return id;
  }
  return undefined;
}

/** The questions that somebody may answer now, oldest first. */
export function open(state: State): Approval[] {
  return [...state.values()].flatMap((item) => (item.state === "requested" ? item.approval : []));
}

function carryOut(state: State, event: Event, now: number): Step {
  switch (event.event) {
    case "asked":
      return ask(state, event);
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

function ask(state: State, { waiter, approval, claim }: Extract<Event, { event: "asked" }>): Step {
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
  const others = open(state).filter(({ agent }) => agent.grant === grant);
  if (others.length >= MOST_OPEN_PER_GRANT) {
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

/** Once: the next call after this one asks anew. */
function useAnswer(
  state: State,
  known: Exclude<Item, { state: "requested" }>,
  waiter: number,
): Step {
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

function leave(state: State, waiter: number): Step {
  const after = new Map(state);
  for (const [id, item] of state) {
    if (item.state !== "requested" || !item.waiting.has(waiter)) continue;
    const waiting = new Set([...item.waiting].filter((other) => other !== waiter));
    after.set(id, { ...item, waiting });
  }
  return { state: after, effects: [] };
}

function answer(
  state: State,
  { id, answer: word, by, reason }: Extract<Event, { event: "answered" }>,
  now: number,
): Step {
  // Whoever was quicker has settled it; what was not offered settles nothing.
  if (state.get(id)?.approval.offers.includes(word) !== true) return { state, effects: [] };
  const outcome = word === "deny" ? "denied" : "allowed";
  return settle(
    state,
    id,
    { outcome, by, answer: word, ...(reason === undefined ? {} : { reason }) },
    now,
  );
}

type Answer = Omit<ApprovalSettled, "type" | "id" | "outcome"> & {
  readonly outcome: "allowed" | "denied";
};

/** An answer: for those who wait for it, else for the next identical call. */
function settle(state: State, id: string, given: Answer, now: number): Step {
  const item = state.get(id);
  if (item?.state !== "requested") return { state, effects: [] };
  const { approval, claim, waiting } = item;
  const { outcome, answer: word, reason } = given;
  const effects: Effect[] = [settledBy(approval, given)];
  const isRule = word === "session" || word === "prefix";
  if (isRule) effects.push({ effect: "rule", kind: word, approval, claim });
  const isUsed = outcome === "allowed" && waiting.size > 0;
  if (isUsed) effects.push({ effect: "used", approval });
  const release: Release = outcome === "allowed" ? { outcome } : { outcome, reason };
  for (const waiter of waiting) effects.push({ effect: "released", waiter, release });
  // A rule stands for itself, until somebody ends it.
  if (waiting.size > 0 || isRule) return { state: without(state, id), effects };
  const lapsesAt = now + ANSWER_KEPT_MS;
  const kept: Item =
    outcome === "allowed"
      ? { state: "allowed", approval, claim, lapsesAt }
      : { state: "denied", approval, claim, lapsesAt, reason };
  return { state: new Map(state).set(id, kept), effects };
}

function withdraw(state: State, isOver: (item: Item) => boolean): Step {
  return end(state, isOver, "withdrawn");
}

function expire(state: State, now: number): Step {
  return end(state, (item) => (endOf(item) ?? Infinity) <= now, "expired");
}

function end(
  state: State,
  isOver: (item: Item) => boolean,
  outcome: "expired" | "withdrawn",
): Step {
  const effects: Effect[] = [];
  const after = new Map(state);
  for (const [id, item] of state) {
    if (!isOver(item)) continue;
    after.delete(id);
    const { approval } = item;
    if (item.state === "allowed") effects.push({ effect: "lapsed", approval });
    if (item.state !== "requested") continue;
    effects.push(settledBy(approval, { outcome }));
    for (const waiter of item.waiting) {
      effects.push({ effect: "released", waiter, release: { outcome, id } });
    }
  }
  return { state: after, effects };
}

function endOf(item: Item): number | undefined {
  return item.state === "requested" ? (item.approval.expiresAt ?? undefined) : item.lapsesAt;
}

function settledBy(approval: Approval, given: Omit<ApprovalSettled, "type" | "id">): Effect {
  return {
    effect: "settled",
    approval,
    settled: { type: "approval:settled", id: approval.id, ...given },
  };
}

function without(state: State, id: string): State {
  const after = new Map(state);
  after.delete(id);
  return after;
}
