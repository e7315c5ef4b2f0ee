// The machine alone: in any order of events, nothing passes that was not allowed.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Approval } from "../../protocol/approval.ts";
import type { Claim } from "./approval-rules.ts";
import type { Effect, ApprovalInput, ApprovalState } from "./approval-machine.ts";
import {
  ANSWER_KEPT_MS,
  MAX_OPEN_PER_GRANT,
  findNextDeadline,
  EMPTY_STATE,
  listOpen,
  stepApproval,
} from "./approval-machine.ts";
import { runs } from "../../test/support/property-runs.ts";

const BY = { label: "a person", door: "people" };
const UNKNOWN_MS = 600_000;

function createApproval(id: string, grant = "g1", more: Partial<Approval> = {}): Approval {
  return {
    id,
    kind: "command",
    agent: { grant, label: grant },
    via: "a test",
    command: ["x"],
    cwd: "/",
    verdict: "dangerous",
    why: ["because"],
    isolation: "none",
    offers: ["once", "session", "prefix", "deny"],
    askedAt: 0,
    expiresAt: null,
    ...more,
  };
}

/** Applies events one after the other, each at its time. */
function play(...events: (ApprovalInput & { readonly at?: number })[]) {
  let state: ApprovalState = EMPTY_STATE;
  const effects: Effect[][] = [];
  let now = 0;
  for (const { at = now, ...event } of events) {
    now = at;
    const next = stepApproval(state, event, now);
    state = next.state;
    effects.push([...next.effects]);
  }
  return { state, effects, last: effects.at(-1) ?? [] };
}

const createClaim = (key: string, grant = "g1"): Claim => ({
  key,
  grant,
  cwd: "/",
  isolation: "none",
  reasons: undefined,
  verdict: "dangerous",
  basis: undefined,
});
const asked = (waiter: number, key: string, id: string, grant?: string, more?: Partial<Approval>) =>
  ({
    event: "asked",
    waiter,
    claim: createClaim(key, grant),
    approval: createApproval(id, grant, more),
  }) as const;
const answered = (id: string, answer: "once" | "session" | "prefix" | "deny", reason?: string) =>
  ({ event: "answered", id, answer, by: BY, reason }) as const;

const released = (effects: readonly Effect[]) =>
  effects.flatMap((one) => (one.effect === "released" ? [[one.waiter, one.release.outcome]] : []));

test("Q1 the first answer settles a question; later ones change nothing", () => {
  const { effects, last, state } = play(
    asked(1, "k", "a"),
    answered("a", "deny", "not today"),
    answered("a", "once"),
  );
  expect(effects[1]).toMatchObject([
    { effect: "settled", settled: { outcome: "denied", by: BY, reason: "not today" } },
    { effect: "released", waiter: 1, release: { outcome: "denied", reason: "not today" } },
  ]);
  expect(last).toEqual([]);
  expect(state.size).toBe(0);
});

test("Q67 the same question is asked once, however many calls wait; all of them get the answer", () => {
  const { effects, last, state } = play(
    asked(1, "k", "a"),
    asked(2, "k", "b"),
    asked(3, "k", "c"),
    { event: "left", waiter: 2 },
    answered("a", "once"),
  );
  expect(effects.flat().filter(({ effect }) => effect === "requested")).toHaveLength(1);
  expect(effects[1]).toEqual([{ effect: "waits", waiter: 2, id: "a" }]);
  expect(released(last)).toEqual([
    [1, "allowed"],
    [3, "allowed"],
  ]);
  expect(last.filter(({ effect }) => effect === "used")).toHaveLength(1);
  expect(state.size).toBe(0);
});

test("Q68 a grant has five open questions at most; a sixth is refused, another grant's is not", () => {
  const five = Array.from({ length: MAX_OPEN_PER_GRANT }, (_, n) => asked(n, `k${n}`, `a${n}`));
  const { effects, last, state } = play(
    ...five,
    asked(98, "k98", "b", "g2"),
    asked(99, "k99", "c"),
    answered("a0", "once"),
    asked(100, "k99", "d"),
  );
  expect(released(effects[6] ?? [])).toEqual([[99, "tooMany"]]);
  expect(last[0]).toMatchObject({ effect: "requested" });
  expect(listOpen(state)).toHaveLength(MAX_OPEN_PER_GRANT + 1);
});

test("Q1 an answer that was not offered settles nothing", () => {
  const offers = { offers: ["once" as const, "deny" as const] };
  const { last, state } = play(asked(1, "k", "a", "g1", offers), answered("a", "session"));
  expect(last).toEqual([]);
  expect(listOpen(state)).toHaveLength(1);
});

test("Q3 an answer that no one waited for is the next identical call's, once, for 10 minutes", () => {
  const alone = [asked(1, "k", "a"), { event: "left", waiter: 1 } as const];
  const used = play(...alone, answered("a", "once"), asked(2, "k", "b"), asked(3, "k", "c"));
  expect(released(used.effects[3] ?? [])).toEqual([[2, "allowed"]]);
  expect(used.last[0]).toMatchObject({ effect: "requested", approval: { id: "c" } });
  const denied = play(...alone, answered("a", "deny", "no"), asked(2, "k", "b"));
  expect(denied.last).toEqual([
    { effect: "released", waiter: 2, release: { outcome: "denied", reason: "no" } },
  ]);
  const late = play(...alone, answered("a", "once"), { ...asked(2, "k", "b"), at: ANSWER_KEPT_MS });
  expect(late.last.map(({ effect }) => effect)).toEqual(["lapsed", "requested", "waits"]);
});

test("Q72 an unanswered question expires where it has a time, and stays where it has none", () => {
  const { last, state } = play(
    asked(1, "k", "a", "g1", { verdict: "unknown", expiresAt: UNKNOWN_MS }),
    asked(2, "l", "b"),
    { event: "tick", at: UNKNOWN_MS },
  );
  expect(last).toMatchObject([
    { effect: "settled", settled: { outcome: "expired" } },
    { effect: "released", waiter: 1, release: { outcome: "expired", id: "a" } },
  ]);
  expect(listOpen(state).map(({ id }) => id)).toEqual(["b"]);
  expect(findNextDeadline(state)).toBeUndefined();
});

test("Q4 the end of a grant withdraws its questions and takes its answers; others stay", () => {
  const { last, state } = play(
    asked(1, "k", "a"),
    asked(2, "l", "b"),
    { event: "left", waiter: 2 },
    answered("b", "once"),
    asked(3, "m", "c", "g2"),
    { event: "grantEnded", grant: "g1" },
  );
  expect(last).toMatchObject([
    { effect: "settled", settled: { outcome: "withdrawn" } },
    { effect: "released", waiter: 1, release: { outcome: "withdrawn", id: "a" } },
    { effect: "lapsed", approval: { id: "b" } },
  ]);
  expect([...state.keys()]).toEqual(["c"]);
});

test("Q4 the end of a terminal withdraws the questions about it, and takes what was answered", () => {
  const about = (key: string, waiter: number, subject: string) => ({
    ...asked(waiter, key, `a${waiter}`),
    claim: { ...createClaim(key), subject },
  });
  const { last, state } = play(
    about("k", 1, "pty-1"),
    about("l", 2, "pty-1"),
    { event: "left", waiter: 2 },
    answered("a2", "once"),
    about("m", 3, "pty-2"),
    asked(4, "n", "a4"),
    { event: "subjectEnded", subject: "pty-1" },
  );
  expect(last.map(({ effect }) => effect)).toEqual(["settled", "released", "lapsed"]);
  expect([...state.keys()]).toEqual(["a3", "a4"]);
});

const KEYS = Array.from({ length: 12 }, (_, n) => `k${n}`);
/** A key is a digest that includes the grant, so it belongs to one. */
const grantOfKey = (key: string) => `g${KEYS.indexOf(key) % 2}`;

const events = fc.array(
  fc.record({
    what: fc.constantFrom("ask", "ask", "ask", "left", "answer", "answer", "let", "ended", "tick"),
    // Mostly the same few, so that answered requests are repeated.
    key: fc.oneof({ weight: 3, arbitrary: fc.constantFrom("k0", "k1") }, fc.constantFrom(...KEYS)),
    nth: fc.nat({ max: 8 }),
    answer: fc.constantFrom(
      "once" as const,
      "session" as const,
      "prefix" as const,
      "deny" as const,
    ),
    wait: fc.constantFrom(0, 0, 0, 1_000, ANSWER_KEPT_MS / 2, ANSWER_KEPT_MS),
    unknown: fc.boolean(),
  }),
  { minLength: 10, maxLength: 60, size: "max" },
);

/** A cheap `expect`, for a hundred thousand calls. */
function must(holds: boolean, rule: string): void {
  if (!holds) expect.unreachable(rule);
}

test("Q2 Q70 in 1,000 random orders of events nothing is let through that was not allowed, and nothing is left", () => {
  fc.assert(
    fc.property(events, (script) => {
      let state: ApprovalState = EMPTY_STATE;
      let now = 0;
      let waiters = 0;
      const toKey = new Map<string, string>();
      /** Waiting calls, by key. */
      const waiting = new Map<number, string>();
      /** Allowed and not yet used keys, with their expiry. */
      const allowed = new Map<string, number>();
      for (const { what, key, nth, answer, wait, unknown } of script) {
        now += wait;
        const asking = listOpen(state).map((one) => one.id);
        const id = asking[nth % Math.max(1, asking.length)] ?? "none";
        const event = createEvent();
        const { state: after, effects } = stepApproval(state, event, now);
        state = after;
        for (const one of effects) check(one);
        must(listOpen(state).length === new Set(openKeys()).size, "one question per key");
        for (const grant of ["g0", "g1"]) {
          const own = listOpen(state).filter(({ agent }) => agent.grant === grant);
          must(own.length <= MAX_OPEN_PER_GRANT, "five per grant");
        }
        // Every waiting call waits for an open approval.
        const held = [...state.values()].flatMap((item) =>
          item.state === "requested" ? [...item.waiting] : [],
        );
        must(held.length === waiting.size, "everybody who waits is known");
        must(
          held.every((waiter) => waiting.has(waiter)),
          "nobody else waits",
        );

        function openKeys() {
          return listOpen(state).map((one) => toKey.get(one.id));
        }

        function createEvent(): ApprovalInput {
          switch (what) {
            case "ask": {
              const waiter = ++waiters;
              waiting.set(waiter, key);
              const asks = createApproval(`a${waiter}`, grantOfKey(key), {
                expiresAt: unknown ? now + UNKNOWN_MS : null,
              });
              toKey.set(asks.id, key);
              return { event: "asked", waiter, claim: createClaim(key), approval: asks };
            }
            case "left": {
              const [waiter = 0] = [...waiting.keys()].slice(nth % Math.max(1, waiting.size));
              waiting.delete(waiter);
              return { event: "left", waiter };
            }
            case "answer":
              return answered(id, answer);
            case "let":
              return { event: "let", id, reason: "nobody answered" };
            case "ended":
              return { event: "grantEnded", grant: grantOfKey(key) };
            default:
              return { event: "tick" };
          }
        }

        function check(one: Effect) {
          if (one.effect === "settled" && one.settled.outcome === "allowed") {
            allowed.set(toKey.get(one.settled.id) ?? "", now);
          }
          if (one.effect === "lapsed") allowed.delete(toKey.get(one.approval.id) ?? "");
          if (one.effect !== "released") return;
          const of = waiting.get(one.waiter) ?? "nobody asked";
          waiting.delete(one.waiter);
          if (one.release.outcome !== "allowed") return;
          const since = allowed.get(of);
          must(since !== undefined, `${of} was not allowed`);
          must(now - (since ?? 0) < ANSWER_KEPT_MS, `${of} was allowed long ago`);
          // Used up, except by other calls that waited for the same answer.
          if (!effects.some(({ effect }) => effect === "settled")) allowed.delete(of);
        }
        // Calls released at once count as used; only an answer without a waiting call is kept.
        for (const one of effects) {
          if (one.effect === "used") allowed.delete(toKey.get(one.approval.id) ?? "");
        }
      }
      const { state: end } = stepApproval(state, { event: "over" }, now);
      expect(end.size).toBe(0);
      expect(findNextDeadline(end)).toBeUndefined();
    }),
    runs(1_000),
  );
});
