import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("S22 long reads wait for each other, in order; one that fails holds no one up", async () => {
  const reads = new SerialQueue();
  let running = 0;
  let most = 0;
  const order: number[] = [];
  const read = (n: number) =>
    reads.run(async () => {
      running++;
      most = Math.max(most, running);
      await Promise.resolve();
      running--;
      order.push(n);
      if (n === 2) throw new Error("gone");
      return n;
    });
  const all = await Promise.allSettled([read(1), read(2), read(3)]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(order).toEqual([1, 2, 3]);
  expect(most).toBe(1);
});
