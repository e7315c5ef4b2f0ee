import fc from "fast-check";
import { expect, test } from "vitest";
import type { Stage } from "./arbiter.ts";
import {
  drove,
  emptyStage,
  entitled,
  left,
  pinned,
  resized,
  sat,
  typed,
  TURNS_MS,
  viewed,
} from "./arbiter.ts";

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

function next(stage: Stage, one: typeof event extends fc.Arbitrary<infer E> ? E : never): Stage {
  switch (one.is) {
    case "sat":
      return stage.seats.has(one.peer) ? stage : sat(stage, one.peer, mayDrive(one.peer));
    case "left":
      return left(stage, one.peer);
    case "viewed":
      return viewed(stage, one.peer, one.size, one.visible);
    case "resized":
      return mayDrive(one.peer) ? resized(stage, one.peer, one.size) : stage;
    case "drove":
      return drove(stage, one.peer);
  }
}

test("V2 V16 only drivers size a terminal: not viewers, not the hidden, not whoever comes or goes", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      let stage = emptyStage(START);
      for (const one of events) {
        const before = stage;
        stage = next(stage, one);
        const seat = stage.seats.get(one.peer);
        if (stage.driver !== undefined) {
          expect(mayDrive(stage.driver)).toBe(true);
          expect(stage.seats.has(stage.driver)).toBe(true);
        }
        if (stage.size === before.size) continue;
        expect(["viewed", "resized", "drove"]).toContain(one.is);
        expect(mayDrive(one.peer)).toBe(true);
        if (seat === undefined) continue;
        expect(seat.visible).toBe(true);
        expect(stage.size).toEqual(seat.size);
        // Another viewer's window never overrides a visible driver.
        if (one.is === "drove") continue;
        const driver = before.driver === undefined ? undefined : before.seats.get(before.driver);
        expect(before.driver === one.peer || driver?.visible !== true).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test("V2 typing claims the size, and the first word after coming does not", () => {
  let stage = sat(sat(emptyStage(START), 1, true), 2, true);
  stage = viewed(stage, 1, { cols: 100, rows: 30 }, true);
  expect(stage.size).toEqual(START);
  stage = drove(stage, 1);
  expect(stage.size).toEqual({ cols: 100, rows: 30 });
  stage = viewed(stage, 2, { cols: 50, rows: 20 }, true);
  stage = viewed(stage, 2, { cols: 51, rows: 20 }, true);
  expect(stage.size).toEqual({ cols: 100, rows: 30 });
  stage = drove(stage, 2);
  expect(stage.size).toEqual({ cols: 51, rows: 20 });
  stage = left(stage, 2);
  expect(stage).toMatchObject({ driver: undefined, size: { cols: 51, rows: 20 } });
});

test("PE20 PE72 only typing takes a size: a window that changes takes none while nobody types, whoever typed before", () => {
  const [first, larger] = [
    { cols: 60, rows: 20 },
    { cols: 60, rows: 22 },
  ];
  const joined = viewed(sat(emptyStage(START), 1, true), 1, first, true);
  // Such as after "Skip" on the line for a name, or when a phone is turned.
  let stage = viewed(joined, 1, larger, true);
  expect([stage.size, stage.sizers]).toEqual([START, []]);
  const away = viewed(typed(stage, 1, 0), 1, larger, false);
  stage = viewed(viewed(sat(away, 2, true), 2, first, true), 2, START, true);
  expect([stage.size, stage.sizers]).toEqual([larger, [1]]);
  stage = typed(stage, 2, 1_000);
  expect([stage.size, stage.sizers]).toEqual([START, [2]]);
  // From here on the driver's window decides.
  expect(viewed(stage, 2, first, true).size).toEqual(first);
});

/** Two people who may type, with different windows. */
function two(a: Stage["size"], b: Stage["size"]): Stage {
  const seated = sat(sat(emptyStage(START), 1, true), 2, true);
  return viewed(viewed(seated, 1, a, true), 2, b, true);
}

test("PE57 two who type in turn resize a program twice at most, and end with what fits both", () => {
  fc.assert(
    fc.property(size, size, fc.array(fc.integer({ min: 1, max: 5_000 })), (a, b, pauses) => {
      let stage = typed(two(a, b), 1, 0);
      let [resizes, now] = [0, 0];
      for (let turn = 0; turn < 20; turn++) {
        now += pauses[turn] ?? 100;
        const after = typed(stage, turn % 2 === 0 ? 2 : 1, now);
        if (after.size !== stage.size) resizes++;
        stage = after;
        // Several keys in a row are one turn.
        expect(typed(stage, turn % 2 === 0 ? 2 : 1, now + 10).size).toBe(stage.size);
      }
      expect(resizes).toBeLessThanOrEqual(2);
      expect(stage.size).toEqual({
        cols: Math.min(a.cols, b.cols),
        rows: Math.min(a.rows, b.rows),
      });
      expect(new Set(stage.sizers)).toEqual(new Set([1, 2]));
    }),
  );
});

test("PE13 PE57 PE58 who takes over once has their own size; who shares it gets it back when the other has stopped", () => {
  const [a, b] = [
    { cols: 100, rows: 30 },
    { cols: 50, rows: 40 },
  ];
  let stage = typed(two(a, b), 1, 0);
  expect([stage.size, stage.sizers]).toEqual([a, [1]]);
  stage = typed(stage, 2, 1_000);
  expect([stage.size, stage.sizers]).toEqual([b, [2]]);
  stage = typed(stage, 1, 2_000);
  expect(stage.size).toEqual({ cols: 50, rows: 30 });
  // Both windows affect it.
  stage = viewed(stage, 2, { cols: 60, rows: 40 }, true);
  expect(stage.size).toEqual({ cols: 60, rows: 30 });
  stage = typed(stage, 1, 3_000 + TURNS_MS);
  expect([stage.size, stage.sizers]).toEqual([a, [1]]);
  // An explicit takeover is not a turn.
  stage = typed(typed(stage, 2, 70_000), 1, 71_000);
  expect(stage.sizers).toHaveLength(2);
  stage = drove(stage, 2);
  expect([stage.size, stage.sizers]).toEqual([{ cols: 60, rows: 40 }, [2]]);
});

test("PE14 a pinned size stays, whoever types, takes over, resizes or comes; unpinned, it follows again", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const fixed = { cols: 90, rows: 33 };
      let stage = pinned(emptyStage(START), fixed);
      for (const one of events) {
        stage = next(stage, one);
        stage = typed(stage, one.peer, 1_000);
        expect(stage.size).toEqual(fixed);
      }
      expect(emptyStage(START, fixed).size).toEqual(fixed);
      const free = drove(viewed(sat(pinned(stage, undefined), 1, true), 1, START, true), 1);
      expect(free.size).toEqual(START);
    }),
  );
});

test("PE6 whose right to drive is taken does not drive, and sizes nothing", () => {
  let stage = typed(two({ cols: 100, rows: 30 }, START), 1, 0);
  stage = entitled(stage, 1, false);
  expect(stage.driver).toBeUndefined();
  expect(typed(stage, 1, 10)).toBe(stage);
  expect(viewed(stage, 1, { cols: 20, rows: 20 }, true).size).toEqual({ cols: 100, rows: 30 });
  expect(typed(entitled(stage, 1, true), 1, 20).driver).toBe(1);
});
