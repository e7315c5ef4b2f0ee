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

test("S22 actions with different keys do not wait for each other", async () => {
  const queue = new SerialQueue();
  const order: string[] = [];
  let finish = () => {};
  const first = queue.run(async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    order.push("first");
  }, "a");
  const second = queue.run(() => order.push("second"), "a");
  await queue.run(() => order.push("other"), "b");
  expect(order).toEqual(["other"]);
  finish();
  await Promise.all([first, second]);
  expect(order).toEqual(["other", "first", "second"]);
});
