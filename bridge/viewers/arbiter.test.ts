import fc from "fast-check";
import { expect, test } from "vitest";
import type { Stage } from "./arbiter.ts";
import { drove, emptyStage, left, resized, sat, viewed } from "./arbiter.ts";

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

/** Peers 1 and 2 may drive; 3 and 4 look on. */
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

test("V2 only drivers size a terminal: not viewers, not the hidden, not whoever comes or goes", () => {
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
        // A driver that can be seen is never overruled by somebody else's window.
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
