import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision, Gesture, GestureInput } from "./gestures.ts";
import { HOLD_MS, advanceGesture, NO_GESTURE, SLOP_PX, getNextTick } from "./gestures.ts";

/** Returns all decisions and the final gesture. */
function play(touches: readonly GestureInput[], coasts = true): { all: Decision[]; end: Gesture } {
  const all: Decision[] = [];
  let end = NO_GESTURE;
  for (const touch of touches) {
    const { gesture, decisions } = advanceGesture(end, touch, coasts);
    all.push(...decisions);
    end = gesture;
  }
  return { all, end };
}

const at = (
  kind: "down" | "move" | "up" | "cancel",
  ms: number,
  x = 0,
  y = 0,
  id = 1,
): GestureInput => ({
  kind,
  id,
  x,
  y,
  at: ms,
});
const whats = (touches: readonly GestureInput[]): string[] =>
  play(touches).all.map(({ what }) => what);

test("TO13 a short touch is a tap, a second one there a double tap, elsewhere another tap", () => {
  const tap = (ms: number, x = 0) => [at("down", ms, x), at("up", ms + 80, x)];
  expect(whats(tap(0))).toEqual(["tap"]);
  expect(whats([...tap(0), ...tap(200)])).toEqual(["tap", "double tap"]);
  expect(whats([...tap(0), ...tap(200), ...tap(400)])).toEqual(["tap", "double tap", "tap"]);
  expect(whats([...tap(0), ...tap(200, 90)])).toEqual(["tap", "tap"]);
  expect(whats([...tap(0), ...tap(500)])).toEqual(["tap", "tap"]);
  // A finger trembles.
  expect(whats([at("down", 0), at("move", 20, 4, 4), at("up", 80, 4, 4)])).toEqual(["tap"]);
  expect(whats([at("down", 0), at("cancel", 80)])).toEqual([]);
});

test("TO2 a finger that stays selects, whenever the clock says so, and drags until it leaves", () => {
  expect(whats([at("down", 0), { kind: "tick", at: HOLD_MS }, at("up", 900)])).toEqual([
    "hold",
    "drop",
  ]);
  // The timer was late.
  const late = [at("down", 0), at("move", 800, 50, 50), at("up", 900, 50, 50)];
  expect(whats(late)).toEqual(["hold", "drag", "drop"]);
  // A second finger changes nothing about it, and a lost one ends it.
  const second = [at("down", 500, 9, 9, 2), at("move", 600, 90, 9, 2), at("cancel", 700)];
  expect(whats([at("down", 0), ...second])).toEqual(["hold", "drop"]);
});

test("TO1 a swipe goes on when the finger leaves, wears off, and a finger stops it", () => {
  const swipe = [0, 16, 32, 48].map((ms) => at(ms === 0 ? "down" : "move", ms, 0, ms * 2));
  const flick = [...swipe, at("up", 50, 0, 96)];
  const coasting = play(flick).end;
  expect(getNextTick(coasting)).toBe("frame");
  let gesture = coasting;
  let way = 0;
  let last = Infinity;
  for (let ms = 66; getNextTick(gesture) === "frame"; ms += 16) {
    expect(ms).toBeLessThan(4000);
    const outcome = advanceGesture(gesture, { kind: "tick", at: ms }, true);
    const [decision] = outcome.decisions;
    if (decision?.what !== "swipe") throw new Error("it stands still");
    expect(decision.by.y).toBeGreaterThan(0);
    expect(decision.by.y).toBeLessThan(last);
    last = decision.by.y;
    way += decision.by.y;
    gesture = outcome.gesture;
  }
  expect(way).toBeGreaterThan(300);
  expect(way).toBeLessThan(900);
  // The touch that stops coasting is not a tap.
  expect(whats([...flick, at("down", 70), at("up", 120)])).not.toContain("tap");
  // A busy browser reports only the last position.
  const busy = [at("down", 0), at("move", 150, 0, 300), at("up", 151, 0, 300)];
  expect(getNextTick(play(busy).end)).toBe("frame");
  // No coasting after a rest, nor with reduced motion.
  expect(getNextTick(play([...swipe, at("up", 300, 0, 96)]).end)).toBeUndefined();
  expect(getNextTick(play(flick, false).end)).toBeUndefined();
});

test("TO3 two fingers pinch around their middle, and one that is left does nothing more", () => {
  const { all, end } = play([
    at("down", 0, 0, 0, 1),
    at("down", 10, 100, 0, 2),
    at("move", 20, 200, 0, 2),
    at("up", 30, 200, 0, 2),
    at("move", 40, 0, 300, 1),
    at("up", 50, 0, 300, 1),
  ]);
  expect(all).toEqual([{ what: "pinch", x: 100, y: 0, by: 2 }]);
  expect(end).toEqual(NO_GESTURE);
});

/** Fingers come, go and move as they like, in time. */
const touches = fc
  .array(
    fc.record({
      kind: fc.constantFrom("down", "move", "move", "move", "up", "cancel", "tick" as const),
      id: fc.integer({ min: 1, max: 3 }),
      x: fc.integer({ min: 0, max: 400 }),
      y: fc.integer({ min: 0, max: 800 }),
      after: fc.integer({ min: 0, max: 300 }),
    }),
    { maxLength: 40 },
  )
  .map((all): GestureInput[] => {
    let ms = 0;
    return all.map(({ kind, id, x, y, after }) => {
      ms += after;
      return kind === "tick" ? { kind, at: ms } : { kind, id, x, y, at: ms };
    });
  });

const leaving = [1, 2, 3].map((id) => at("up", 1_000_000, 0, 0, id));

test("TO1 TO2 TO3 whatever fingers do: each hold is dropped once, and in the end all is still", () => {
  fc.assert(
    fc.property(touches, (all) => {
      const { all: decisions, end } = play([...all, ...leaving]);
      let isHeld = false;
      for (const decision of decisions) {
        if (decision.what === "hold") expect(isHeld).toBe(false);
        else if (decision.what === "drag" || decision.what === "drop") expect(isHeld).toBe(true);
        // Nothing else happens while a finger selects.
        else expect(isHeld).toBe(false);
        if (decision.what === "hold" || decision.what === "drop") isHeld = decision.what === "hold";
        if (decision.what === "pinch") expect(decision.by).toBeGreaterThan(0);
      }
      expect(isHeld).toBe(false);
      expect(end.fingers).toEqual([]);
      const still = advanceGesture(end, { kind: "tick", at: 1_010_000 }, true).gesture;
      expect(getNextTick(still)).toBeUndefined();
      expect(still.phase.is).toBe("still");
    }),
  );
});

test("TO1 what is swiped is the finger's way, and no tap comes of it", () => {
  const side = fc.integer({ min: -500, max: 500 });
  const steps = fc.array(fc.record({ x: side, y: side }), { maxLength: 20 });
  const small = fc.tuple(steps, fc.integer({ min: 0, max: HOLD_MS - 1 }));
  fc.assert(
    fc.property(small, ([way, ms]) => {
      const moves = way.map(({ x, y }) => at("move", ms, x, y));
      const last = moves.at(-1);
      if (last === undefined || last.kind === "tick") return;
      const { all } = play([at("down", 0), ...moves, at("up", ms + 1, last.x, last.y)], false);
      const swipes = all.filter((one) => one.what === "swipe");
      if (swipes.length === 0) {
        expect(Math.hypot(last.x, last.y)).toBeLessThan(SLOP_PX);
        return;
      }
      expect(swipes.reduce((sum, { by }) => sum + by.x, 0)).toBe(last.x);
      expect(swipes.reduce((sum, { by }) => sum + by.y, 0)).toBe(last.y);
      expect(all.length).toBe(swipes.length);
    }),
  );
});

test("TO2 a tick more or less changes nothing that fingers decide", () => {
  fc.assert(
    fc.property(touches, (all) => {
      const ticks = all.flatMap((touch): GestureInput[] => [{ kind: "tick", at: touch.at }, touch]);
      const without = all.filter(({ kind }) => kind !== "tick");
      const decided = (some: readonly GestureInput[]) => play([...some, ...leaving], false).all;
      expect(decided(ticks)).toEqual(decided(without));
    }),
  );
});
