import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NUDGE_AFTER_QUIET_MS, NUDGE_TIMEOUT_MS } from "../../protocol/limits.ts";
import { BridgeWatch } from "./bridge-watch.ts";
import type { Liveness } from "./bridge-liveness.ts";
import {
  decideAfterNudge,
  GIVE_UP_AFTER_MS,
  wasSeenRecently,
  planCheck,
} from "./bridge-liveness.ts";

const received = (at: number): Liveness => ({ is: "heard", at });
const QUIET = NUDGE_AFTER_QUIET_MS;

test("R43 a bridge that was heard within 5 s is not asked; a quiet one is nudged, once", () => {
  expect(wasSeenRecently(received(1_000), QUIET, 5_999)).toBe(true);
  expect(wasSeenRecently(received(1_000), QUIET, 6_000)).toBe(false);
  expect(planCheck(received(1_000), QUIET, undefined, 6_000)).toEqual({
    do: "nudge",
    next: { is: "nudged", at: 6_000, seenAt: 1_000 },
  });
  const nudged: Liveness = { is: "nudged", at: 6_000, seenAt: 1_000 };
  expect(planCheck(nudged, QUIET, undefined, 60_000)).toEqual({ do: "nothing" });
});

test("R43 R86 a ping that the runtime answered counts, before a nudge and behind it", () => {
  expect(planCheck(received(0), QUIET, 99_000, 100_000)).toEqual({ do: "nothing" });
  const nudged: Liveness = { is: "nudged", at: 100_000, seenAt: 90_000 };
  expect(decideAfterNudge(nudged, 90_000)).toEqual({ is: "silent", since: 90_000 });
  expect(decideAfterNudge(nudged, 101_000)).toEqual({ is: "heard", at: 101_000 });
});

test("R86 a room that slept and knows nothing says since when it asked", () => {
  expect(decideAfterNudge({ is: "nudged", at: 100_000, seenAt: 0 }, undefined)).toEqual({
    is: "silent",
    since: 100_000,
  });
});

test("R91 a silent link is nudged no more, and given up after 10 minutes", () => {
  const silent: Liveness = { is: "silent", since: 1_000 };
  expect(planCheck(silent, QUIET, undefined, GIVE_UP_AFTER_MS)).toEqual({ do: "nothing" });
  expect(planCheck(silent, QUIET, undefined, 1_000 + GIVE_UP_AFTER_MS)).toEqual({ do: "give up" });
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a watch over a bridge that answers nudges after `answersIn` ms, or never. */
function watched(answersIn: () => number | undefined) {
  const events: string[] = [];
  let nudges = 0;
  const watch = new BridgeWatch({
    getPingedAt: () => undefined,
    nudge: () => {
      nudges++;
      const wait = answersIn();
      if (wait !== undefined) setTimeout(() => watch.recordMessage(Date.now()), wait);
    },
    onSilent: () => events.push("silent"),
    onRecovered: () => events.push("back"),
    onGivenUp: () => events.push("given up"),
  });
  watch.restart(Date.now());
  return { watch, events, getNudges: () => nudges };
}

test("R86 whatever peers say and when, a bridge that answers in time is never called silent", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 20_000 }), { maxLength: 30 }),
      fc.nat({ max: NUDGE_TIMEOUT_MS - 1 }),
      (pauses, answersIn) => {
        const { watch, events, getNudges } = watched(() => answersIn);
        for (const pause of pauses) {
          vi.advanceTimersByTime(pause);
          const before = getNudges();
          for (let key = 0; key < 5; key++) watch.check(QUIET, Date.now());
          expect(getNudges() - before).toBeLessThanOrEqual(1);
        }
        vi.advanceTimersByTime(NUDGE_TIMEOUT_MS * 2);
        expect(events).toEqual([]);
      },
    ),
  );
});

test("R86 one that answers nothing is silent 5 s behind the first word, and back with its first frame", () => {
  const { watch, events } = watched(() => undefined);
  const seenAt = Date.now();
  vi.advanceTimersByTime(QUIET);
  watch.check(QUIET, Date.now());
  vi.advanceTimersByTime(NUDGE_TIMEOUT_MS - 1);
  expect([events, watch.silentSince]).toEqual([[], undefined]);
  vi.advanceTimersByTime(1);
  expect([events, watch.silentSince]).toEqual([["silent"], seenAt]);
  watch.check(QUIET, Date.now());
  watch.recordMessage(Date.now());
  expect([events, watch.silentSince]).toEqual([["silent", "back"], undefined]);
  expect(vi.getTimerCount()).toBe(0);
});

test("R100 a bridge that was heard just now and answers nothing is silent, though its peer sends nothing else", () => {
  const { watch, events, getNudges } = watched(() => undefined);
  vi.advanceTimersByTime(1_000);
  watch.check(QUIET, Date.now());
  watch.recordForwarded(Date.now());
  vi.advanceTimersByTime(QUIET - 1_000);
  expect([getNudges(), events]).toEqual([1, []]);
  vi.advanceTimersByTime(NUDGE_TIMEOUT_MS);
  expect([getNudges(), events]).toEqual([1, ["silent"]]);
  expect(vi.getTimerCount()).toBe(0);
});

test("R100 a frame or a ping behind the message is an answer: nothing is nudged", () => {
  const { watch, events, getNudges } = watched(() => undefined);
  watch.recordForwarded(Date.now());
  vi.advanceTimersByTime(1_000);
  watch.recordMessage(Date.now());
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(QUIET * 3);
  expect([getNudges(), events]).toEqual([0, []]);
});
