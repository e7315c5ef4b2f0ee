// What strangers may cost, as numbers: rates, places, and whom a relay knows.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { MAX_HELLO_BYTES, MiB } from "../../protocol/limits.ts";
import { KnownTokens } from "../../relay/edge/known-tokens.ts";
import { refuseSocket } from "../../relay/edge/error-responses.ts";
import { StrangerPermits } from "../../relay/edge/stranger-permits.ts";
import { PostCloseAllowance, RateLimiter } from "../../relay/rate-limiter.ts";

const refused = () => refuseSocket(CloseCode.unauthorized, "unauthorized", "no");

/** How many of `tries` are let through at one moment. */
function count(tries: number, isLetIn: () => boolean): number {
  return Array.from({ length: tries }, isLetIn).filter(Boolean).length;
}

test("R40 a rate never gives more than was saved and what time brought, and owes no more than that", () => {
  const limit = { aSecond: 40, saved: 40 };
  const turn = fc.record({ wait: fc.nat(3_000), takes: fc.nat(100), charge: fc.nat(100) });
  fc.assert(
    fc.property(fc.array(turn), (turns) => {
      const rate = new RateLimiter(limit, 0);
      let now = 0;
      let taken = 0;
      for (const { wait, takes, charge } of turns) {
        now += wait;
        taken += count(takes, () => rate.tryTake(now));
        rate.charge(charge);
      }
      expect(taken).toBeLessThanOrEqual(limit.saved + (now * limit.aSecond) / 1000);
      // Whatever strangers did, two seconds later somebody is let in again.
      expect(rate.tryTake(now + 2_100)).toBe(true);
    }),
  );
});

test("R40 clocks that differ give nothing twice", () => {
  const rate = new RateLimiter({ aSecond: 40, saved: 40 }, 0);
  let at = 0;
  expect(count(500, () => rate.tryTake(at++ % 2 === 0 ? 900 : 1_000))).toBe(41);
});

/** A clock that goes on only when somebody waits. */
function readClock() {
  const clock = {
    time: 0,
    now: () => clock.time,
    pause: async (milliseconds: number) => {
      clock.time += milliseconds;
    },
  };
  return clock;
}

/** How many of these get a place, one after the other, each leaving at once. */
async function passing(door: StrangerPermits, tries: number): Promise<number> {
  let passed = 0;
  for (let n = 0; n < tries; n++) {
    const place = await door.acquire();
    place?.release();
    if (place !== undefined) passed++;
  }
  return passed;
}

test("R40 a door lets 64 strangers pass at once, and ten a second", async () => {
  const clock = readClock();
  const door = new StrangerPermits(clock);
  expect(await passing(door, 100)).toBe(64);
  clock.time += 1_000;
  expect(await passing(door, 100)).toBe(10);
});

test("R40 what a stranger sent counts: behind 31 MiB there are 2 sockets", async () => {
  const door = new StrangerPermits(readClock());
  door.charge(31 * MiB);
  expect(await passing(door, 100)).toBe(2);
});

test("R40 whoever waits gets no place behind what was more than a second's worth", async () => {
  const door = new StrangerPermits(readClock());
  const [first] = [await door.acquire(), await door.acquire(), await door.acquire()];
  const waiting = door.acquire();
  door.charge(31 * MiB);
  first?.release();
  expect(await waiting).toBeUndefined();
});

test("R83 the fourth at a door waits, and takes the place of the oldest when that had its time", async () => {
  const clock = readClock();
  const door = new StrangerPermits(clock);
  const [first, second] = [await door.acquire(), await door.acquire(), await door.acquire()];
  let lost = 0;
  for (const place of [first, second]) void place?.revoked.then(() => lost++);
  expect(await door.acquire()).toBeDefined();
  expect(clock.time).toBe(1_000);
  await first?.revoked;
  expect(lost).toBe(1);
  second?.release();
  await door.acquire();
  expect(clock.time).toBe(1_000);
});

test("R81 R85 rooms are asked about 500 strangers at once, and about whom they let in without end", () => {
  const familiar = new KnownTokens(0);
  familiar.recordAnswer("a-room", "good", new Response());
  familiar.recordAnswer("a-room", "bad", refused());
  expect(count(600, () => familiar.allowsRequest("a-room", "bad", 0))).toBe(500);
  expect(familiar.allowsRequest("a-room", "good", 0)).toBe(true);
  expect(familiar.allowsRequest("another", "good", 0)).toBe(false);
  expect(familiar.allowsRequest("a-room", undefined, 0)).toBe(false);
  // It was revoked.
  familiar.recordAnswer("a-room", "good", refused());
  expect(familiar.allowsRequest("a-room", "good", 0)).toBe(false);
});

test("R82 sixteen rooms that never were are woken at once, and four a second", () => {
  const familiar = new KnownTokens(0);
  expect(count(100, () => familiar.allowsNewRoom(0))).toBe(16);
  expect(count(100, () => familiar.allowsNewRoom(1_000))).toBe(4);
});

test("R80 who was turned away has sixteen short words left", () => {
  expect(new PostCloseAllowance().allows(MAX_HELLO_BYTES + 1)).toBe(false);
  const patience = new PostCloseAllowance();
  expect(count(100, () => patience.allows(MAX_HELLO_BYTES))).toBe(16);
});
