import fc from "fast-check";
import { expect, test } from "vitest";
import type { SizeState } from "./size-arbiter.ts";
import {
  setDriver,
  createSizeState,
  setMayDrive,
  removeViewer,
  pinSize,
  requestSize,
  addViewer,
  recordTyping,
  RECENT_TYPING_MS,
  setView,
} from "./size-arbiter.ts";

const START = { cols: 80, rows: 24 };
const peer = fc.integer({ min: 1, max: 4 });
const size = fc.record({
  cols: fc.integer({ min: 1, max: 300 }),
  rows: fc.integer({ min: 1, max: 100 }),
});
const event = fc.oneof(
  fc.record({ is: fc.constant("sat" as const), peer }),
  fc.record({ is: fc.constant("left" as const), peer }),
  fc.record({ is: fc.constant("viewed" as const), peer, size, visible: fc.boolean() }),
  fc.record({ is: fc.constant("resized" as const), peer, size }),
  fc.record({ is: fc.constant("drove" as const), peer }),
);

/** Peers 1 and 2 may drive; 3 and 4 only watch. */
const mayDrive = (number: number) => number <= 2;

function next(
  stage: SizeState,
  one: typeof event extends fc.Arbitrary<infer E> ? E : never,
): SizeState {
  switch (one.is) {
    case "sat":
      return stage.viewers.has(one.peer) ? stage : addViewer(stage, one.peer, mayDrive(one.peer));
    case "left":
      return removeViewer(stage, one.peer);
    case "viewed":
      return setView(stage, one.peer, one.size, one.visible);
    case "resized":
      return mayDrive(one.peer) ? requestSize(stage, one.peer, one.size) : stage;
    case "drove":
      return setDriver(stage, one.peer);
  }
}

test("V2 V16 only drivers size a terminal: not viewers, not the hidden, not whoever comes or goes", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let stage = createSizeState(START);
      for (const one of events) {
        const before = stage;
        stage = next(stage, one);
        const seat = stage.viewers.get(one.peer);
        if (stage.driver !== undefined) {
          expect(mayDrive(stage.driver)).toBe(true);
          expect(stage.viewers.has(stage.driver)).toBe(true);
        }
        if (stage.size === before.size) continue;
        expect(["viewed", "resized", "drove"]).toContain(one.is);
        expect(mayDrive(one.peer)).toBe(true);
        if (seat === undefined) continue;
        expect(seat.visible).toBe(true);
        expect(stage.size).toEqual(seat.size);
        // Another viewer's window never overrides a visible driver.
        if (one.is === "drove") continue;
        const driver = before.driver === undefined ? undefined : before.viewers.get(before.driver);
        expect(before.driver === one.peer || driver?.visible !== true).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("V2 typing claims the size, and the first word after coming does not", () => {
  let stage = addViewer(addViewer(createSizeState(START), 1, true), 2, true);
  stage = setView(stage, 1, { cols: 100, rows: 30 }, true);
  expect(stage.size).toEqual(START);
  stage = setDriver(stage, 1);
  expect(stage.size).toEqual({ cols: 100, rows: 30 });
  stage = setView(stage, 2, { cols: 50, rows: 20 }, true);
  stage = setView(stage, 2, { cols: 51, rows: 20 }, true);
  expect(stage.size).toEqual({ cols: 100, rows: 30 });
  stage = setDriver(stage, 2);
  expect(stage.size).toEqual({ cols: 51, rows: 20 });
  stage = removeViewer(stage, 2);
  expect(stage).toMatchObject({ driver: undefined, size: { cols: 51, rows: 20 } });
});

test("PE20 PE72 only typing takes a size: a window that changes takes none while no one types, whoever typed before", () => {
  const [first, larger] = [
    { cols: 60, rows: 20 },
    { cols: 60, rows: 22 },
  ];
  const joined = setView(addViewer(createSizeState(START), 1, true), 1, first, true);
  // Such as after "Skip" on the line for a name, or when a phone is turned.
  let stage = setView(joined, 1, larger, true);
  expect([stage.size, stage.sizingViewers]).toEqual([START, []]);
  const away = setView(recordTyping(stage, 1, 0), 1, larger, false);
  stage = setView(setView(addViewer(away, 2, true), 2, first, true), 2, START, true);
  expect([stage.size, stage.sizingViewers]).toEqual([larger, [1]]);
  stage = recordTyping(stage, 2, 1_000);
  expect([stage.size, stage.sizingViewers]).toEqual([START, [2]]);
  // From here on the driver's window decides.
  expect(setView(stage, 2, first, true).size).toEqual(first);
});

/** Two people who may type, with different windows. */
function two(a: SizeState["size"], b: SizeState["size"]): SizeState {
  const seated = addViewer(addViewer(createSizeState(START), 1, true), 2, true);
  return setView(setView(seated, 1, a, true), 2, b, true);
}

test("PE57 two who type in turn resize a program twice at most, and end with what fits both", () => {
  fc.assert(
    fc.property(size, size, fc.array(fc.integer({ min: 1, max: 5_000 })), (a, b, pauses) => {
      let stage = recordTyping(two(a, b), 1, 0);
      let [resizes, now] = [0, 0];
      for (let turn = 0; turn < 20; turn++) {
        now += pauses[turn] ?? 100;
        const after = recordTyping(stage, turn % 2 === 0 ? 2 : 1, now);
        if (after.size !== stage.size) resizes++;
        stage = after;
        // Several keys in a row are one turn.
        expect(recordTyping(stage, turn % 2 === 0 ? 2 : 1, now + 10).size).toBe(stage.size);
      }
      expect(resizes).toBeLessThanOrEqual(2);
      expect(stage.size).toEqual({
        cols: Math.min(a.cols, b.cols),
        rows: Math.min(a.rows, b.rows),
      });
      expect(new Set(stage.sizingViewers)).toEqual(new Set([1, 2]));
    }),
  );
});

test("PE13 PE57 PE58 who takes over once has their own size; who shares it gets it back when the other has stopped", () => {
  const [a, b] = [
    { cols: 100, rows: 30 },
    { cols: 50, rows: 40 },
  ];
  let stage = recordTyping(two(a, b), 1, 0);
  expect([stage.size, stage.sizingViewers]).toEqual([a, [1]]);
  stage = recordTyping(stage, 2, 1_000);
  expect([stage.size, stage.sizingViewers]).toEqual([b, [2]]);
  stage = recordTyping(stage, 1, 2_000);
  expect(stage.size).toEqual({ cols: 50, rows: 30 });
  // Both windows affect it.
  stage = setView(stage, 2, { cols: 60, rows: 40 }, true);
  expect(stage.size).toEqual({ cols: 60, rows: 30 });
  stage = recordTyping(stage, 1, 3_000 + RECENT_TYPING_MS);
  expect([stage.size, stage.sizingViewers]).toEqual([a, [1]]);
  // An explicit takeover is not a turn.
  stage = recordTyping(recordTyping(stage, 2, 70_000), 1, 71_000);
  expect(stage.sizingViewers).toHaveLength(2);
  stage = setDriver(stage, 2);
  expect([stage.size, stage.sizingViewers]).toEqual([{ cols: 60, rows: 40 }, [2]]);
});

test("PE14 a pinned size stays, whoever types, takes over, resizes or comes; unpinned, it follows again", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const fixed = { cols: 90, rows: 33 };
      let stage = pinSize(createSizeState(START), fixed);
      for (const one of events) {
        stage = next(stage, one);
        stage = recordTyping(stage, one.peer, 1_000);
        expect(stage.size).toEqual(fixed);
      }
      expect(createSizeState(START, fixed).size).toEqual(fixed);
      const free = setDriver(
        setView(addViewer(pinSize(stage, undefined), 1, true), 1, START, true),
        1,
      );
      expect(free.size).toEqual(START);
    }),
  );
});

test("PE6 whose right to drive is taken does not drive, and sizes nothing", () => {
  let stage = recordTyping(two({ cols: 100, rows: 30 }, START), 1, 0);
  stage = setMayDrive(stage, 1, false);
  expect(stage.driver).toBeUndefined();
  expect(recordTyping(stage, 1, 10)).toBe(stage);
  expect(setView(stage, 1, { cols: 20, rows: 20 }, true).size).toEqual({ cols: 100, rows: 30 });
  expect(recordTyping(setMayDrive(stage, 1, true), 1, 20).driver).toBe(1);
});
