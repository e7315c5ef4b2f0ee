// Turns and budgets, without terminals.

import { expect, test } from "vitest";
import { MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { FetchShare } from "./fetch-queue.ts";
import { estimateBytes, FetchQueue } from "./fetch-queue.ts";

function world(budgets = { caller: 4 * MiB, all: 8 * MiB }) {
  const queue = new FetchQueue(budgets);
  const started: { readonly name: string; readonly share: FetchShare }[] = [];
  const add = (caller: string, bytes = 2 * MiB, name = caller) =>
    queue.add(caller, bytes, (share) => void started.push({ name, share }));
  return { queue, started, add, names: () => started.map(({ name }) => name) };
}

test("V13 one caller has two whole buffers under way, however many it asks for", () => {
  const { queue, add, names, started } = world();
  for (let n = 0; n < 10_000; n++) add("ana");
  expect(names()).toEqual(["ana", "ana"]);
  expect(queue.underWay).toBe(4 * MiB);
  started[0]?.share.release();
  started[0]?.share.release();
  expect(names()).toHaveLength(3);
  expect(queue.underWay).toBe(4 * MiB);
});

test("V13 whoever comes later waits for one turn of each other caller, not for all of them", () => {
  const { add, names, started } = world({ caller: 2 * MiB, all: 2 * MiB });
  for (let n = 0; n < 1_900; n++) add("ana");
  add("ben", 2 * MiB);
  add("cid", 2 * MiB);
  for (let n = 0; n < 4; n++) started[n]?.share.release();
  expect(names()).toEqual(["ana", "ana", "ben", "cid", "ana"]);
});

test("V13 a large one is not overtaken for ever by small ones", () => {
  const { add, names, started } = world({ caller: 4 * MiB, all: 4 * MiB });
  add("ana", 3 * MiB);
  add("ben", 2 * MiB);
  for (let n = 0; n < 100; n++) add("cid", MiB);
  expect(names()).toEqual(["ana"]);
  started[0]?.share.release();
  expect(names()).toEqual(["ana", "ben", "cid", "cid"]);
});

test("V27 one that is larger than every budget runs alone", () => {
  const { add, names, started } = world({ caller: MiB, all: MiB });
  add("ana", 2 * MiB);
  add("ben", 2 * MiB);
  expect(names()).toEqual(["ana"]);
  started[0]?.share.release();
  expect(names()).toEqual(["ana", "ben"]);
});

test("V13 what an answer does not have is room for others", () => {
  const { queue, add, names, started } = world({ caller: 2 * MiB, all: 2 * MiB });
  add("ana");
  add("ben");
  started[0]?.share.resize(0);
  expect(names()).toEqual(["ana", "ben"]);
  for (const { share } of started) share.release();
  expect(queue.underWay).toBe(0);
  expect(queue.isBlocked).toBe(false);
});

test("V13 a fetch counts what it may bring", () => {
  const end = 10 * MiB;
  expect(estimateBytes({ end }, 0, Number.MAX_SAFE_INTEGER)).toBe(REPLAY_BYTES);
  expect(estimateBytes({ end }, 0, 1_000)).toBe(1_000);
  expect(estimateBytes({ end }, 5, REPLAY_BYTES, 1_005)).toBe(1_000);
  expect(estimateBytes({ end }, Number.MAX_SAFE_INTEGER, 0)).toBe(0);
  expect(estimateBytes({ end: 500 }, 0, REPLAY_BYTES)).toBeLessThan(REPLAY_BYTES / 16);
});
