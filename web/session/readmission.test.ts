// Returning automatically once the host admits a browser again.

import { expect, test } from "vitest";
import { waitForReadmission } from "./readmission.ts";

test("PE15 a page that was sent away asks ever less often, and comes back once it may", async () => {
  const waits: number[] = [];
  const asked = { left: 30 };
  const isPardoned = await waitForReadmission({
    isAway: async () => asked.left-- > 0,
    isOver: new AbortController().signal,
    pause: async (milliseconds) => void waits.push(milliseconds),
  });
  expect(isPardoned).toBe(true);
  expect(waits[0]).toBe(2_000);
  expect(waits.at(-1)).toBe(30_000);
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
});

test("PE15 a visit that is over asks no one", async () => {
  const over = new AbortController();
  over.abort();
  const isAway = () => Promise.reject(new Error("asked"));
  const pause = async () => {};
  expect(await waitForReadmission({ isAway, isOver: over.signal, pause })).toBe(false);
});

test("SE49 each time that a page without HTTP is kept out, it waits longer before it connects again", async () => {
  const waits: number[] = [];
  const deps = {
    isAway: async () => false,
    isOver: new AbortController().signal,
    pause: async (milliseconds: number) => void waits.push(milliseconds),
  };
  for (const earlier of [0, 1, 5, 50]) await waitForReadmission({ ...deps, earlier });
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect([waits[0], waits.at(-1)]).toEqual([2_000, 30_000]);
});
