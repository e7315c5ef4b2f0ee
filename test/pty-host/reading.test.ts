// The claim of a terminal's one reader, in modelled time and without a process.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Outlet } from "../../bridge/pty-host/connection.ts";
import { ReaderSlot } from "../../bridge/pty-host/reader-slot.ts";
import { CLAIM_MS, canCut, Ring } from "../../bridge/pty-host/ring.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const EXIT_AT = 5_000;

function finished(bytes: number) {
  const ring = new Ring();
  ring.append(Buffer.alloc(bytes));
  const outlet: Outlet = {
    ready: true,
    output: () => {},
    gap: () => {},
    activity: () => {},
    query: () => {},
    title: () => true,
    exited: () => {},
  };
  const reading = new ReaderSlot(1, ring, { setPaused: () => {}, onDue: () => {} });
  reading.connect(outlet);
  vi.advanceTimersByTime(EXIT_AT);
  const endedAt = performance.now();
  return { reading, isCut: () => canCut(reading.claim(endedAt), performance.now()) };
}

test("H18 a reader without credit keeps its claim, however long its link is down", () => {
  const { reading, isCut } = finished(1_000);
  reading.start({ from: 400, credit: 400, paced: false });
  reading.pump(true);
  vi.advanceTimersByTime(10 * CLAIM_MS);
  expect(isCut()).toBe(false);
  reading.extend(1_000);
  reading.pump(true);
  expect(isCut()).toBe(false);
  vi.advanceTimersByTime(CLAIM_MS);
  expect(isCut()).toBe(true);
});

test("H17 a reader that left may come back for 30 s", () => {
  const { reading, isCut } = finished(1_000);
  reading.start({ from: 400, credit: 400, paced: false });
  vi.advanceTimersByTime(2 * CLAIM_MS);
  reading.stop();
  vi.advanceTimersByTime(CLAIM_MS - 1);
  expect(isCut()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(isCut()).toBe(true);
});
