// Random viewers join, type, stall, ack late, twice and never, and leave, while a program floods.

import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KiB, MAX_FRAME_PAYLOAD, PEER_HARD_CAP, UPLINK_WINDOW } from "../../protocol/limits.ts";
import type { Habit, Viewer } from "./viewer.ts";
import { World } from "./world.ts";
import { runs } from "../support/property-runs.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => void vi.useRealTimers());

const habit = fc.constantFrom<Habit>("prompt", "slow", "late", "twice", "never");
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ print: fc.integer({ min: 1, max: 400 * KiB }) }) },
  { weight: 8, arbitrary: fc.record({ move: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ render: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ join: habit }) },
  { weight: 1, arbitrary: fc.record({ leave: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 3_000 }) }) },
  { weight: 1, arbitrary: fc.record({ turn: fc.nat(), habit }) },
  { weight: 2, arbitrary: fc.record({ stall: fc.nat() }) },
);
const cut = { weight: 3, arbitrary: fc.record({ cut: fc.constant(true) }) };
const stepOrCut = fc.oneof({ weight: 26, arbitrary: step }, cut);
type Step = typeof stepOrCut extends fc.Arbitrary<infer S> ? S : never;

async function act(world: World, one: Step): Promise<void> {
  const pick = (n: number): Viewer | undefined => world.viewers[n % world.viewers.length];
  if ("print" in one) world.host.print(one.print);
  if ("move" in one) for (let i = 0; i < one.move; i++) await world.move();
  if ("render" in one) pick(one.render)?.render();
  if ("join" in one && world.viewers.length < 5) world.join(one.join);
  if ("leave" in one) {
    const leaving = pick(one.leave);
    if (leaving !== undefined) world.leave(leaving);
  }
  if ("type" in one) {
    const typing = pick(one.type);
    if (typing !== undefined) world.type(typing);
  }
  if ("cut" in one) world.cut();
  if ("pass" in one) await vi.advanceTimersByTimeAsync(one.pass);
  if ("stall" in one) {
    const stalled = pick(one.stall);
    if (stalled !== undefined) stalled.deaf = !stalled.deaf;
  }
  if ("turn" in one) {
    const turned = pick(one.turn);
    if (turned !== undefined) turned.habit = one.habit;
  }
}

/** Everybody takes in what there is, until nothing moves any more. */
async function drain(world: World): Promise<void> {
  for (const viewer of world.viewers) {
    viewer.habit = "prompt";
    viewer.deaf = false;
  }
  for (let still = 0, i = 0; still < 25 && i < 20_000; i++) {
    const moved = await world.move();
    for (const viewer of world.viewers) viewer.render();
    if (moved) continue;
    // New starts wait for their turn, and the last bytes for a question.
    still++;
    world.nudge();
    await vi.advanceTimersByTimeAsync(300);
  }
}

test("V7 V22 V23 D9 whatever viewers do, and however often the link is cut, none ever sees a hole or a wrong byte, and all end at the same screen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepOrCut, { minLength: 10, maxLength: 120 }), async (steps) => {
      using world = new World();
      world.join("prompt");
      for (const one of steps) {
        await act(world, one);
        for (const viewer of world.viewers) {
          // Snapshots and replays come beside the live stream, each within its own bound.
          const waiting = viewer.inbox.reduce((sum, m) => sum + m.length, 0);
          const most = PEER_HARD_CAP + UPLINK_WINDOW + 3 * MAX_FRAME_PAYLOAD;
          expect(waiting).toBeLessThanOrEqual(most);
        }
      }
      await drain(world);
      expect(world.complaint).toBeUndefined();
      for (const viewer of world.viewers) {
        expect(viewer.wrong).toBe(0);
        expect(viewer.next).toBe(world.host.end);
      }
      expect(world.host.isHeld).toBe(false);
    }),
    runs(80),
  );
}, 120_000);

test("V21 a driver that renders loses nothing however the others behave", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 100 }), async (steps) => {
      using world = new World();
      const driver = world.join("prompt");
      await drain(world);
      world.type(driver);
      await drain(world);
      driver.render();
      const { starts } = driver;
      driver.habit = "slow";
      for (const one of steps) {
        // Nobody else takes the wheel, and the driver goes on rendering.
        if ("type" in one || "leave" in one || "turn" in one || "stall" in one) continue;
        await act(world, one);
        // Faster than anybody could render it.
        world.host.print(300 * KiB);
        for (let i = 0; i < 12; i++) await world.move();
        driver.render();
      }
      await drain(world);
      expect(driver.wrong).toBe(0);
      expect(driver.starts).toBe(starts);
      expect(driver.next).toBe(world.host.end);
    }),
    runs(80),
  );
}, 120_000);

test("V24 a program is never held with no one to blame", async () => {
  using world = new World();
  const viewer = world.join("prompt");
  await drain(world);
  world.type(viewer);
  viewer.habit = "never";
  for (let i = 0; i < 40; i++) {
    world.host.print(100 * KiB);
    for (let j = 0; j < 10; j++) await world.move();
  }
  // A driver that stops rendering holds the program for its patience and no longer.
  await vi.advanceTimersByTimeAsync(7_000);
  const before = world.host.end;
  for (let i = 0; i < 40; i++) {
    world.host.print(100 * KiB);
    for (let j = 0; j < 10; j++) await world.move();
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(world.host.end).toBeGreaterThan(before + 1_000 * KiB);
});
