// Order of delivery, with work that ends in any order.

import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { InOrder } from "./in-order.ts";

test("SE10 whichever work ends first, delivery is in the order of arrival", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }), async (ends) => {
      const delivered: number[] = [];
      const order = new InOrder(() => expect.unreachable());
      const resolves = [0, 1, 2, 3, 4].map((number) => {
        let end = (): void => undefined;
        const work = new Promise<number>((resolve) => {
          end = () => resolve(number);
        });
        order.add(work, (value) => void delivered.push(value));
        return end;
      });
      for (const number of ends) resolves[number]?.();
      await order.settled();
      expect(delivered).toEqual([0, 1, 2, 3, 4]);
    }),
  );
});

test("SE10 after a fault nothing is delivered, and the fault is reported once", async () => {
  const onFault = vi.fn<(error: unknown) => void>();
  const delivered: string[] = [];
  const order = new InOrder(onFault);
  order.add(Promise.resolve("first"), (text) => void delivered.push(text));
  order.add(Promise.reject(new Error("bad")), () => void delivered.push("bad"));
  order.add(Promise.reject(new Error("worse")), () => void delivered.push("worse"));
  order.add(Promise.resolve("later"), (text) => void delivered.push(text));
  await order.settled();
  order.addReady(() => void delivered.push("clear"));
  expect(delivered).toEqual(["first"]);
  expect(onFault.mock.calls).toEqual([[new Error("bad")]]);
});

test("SE10 a delivery that takes time holds up those after it", async () => {
  const delivered: string[] = [];
  const order = new InOrder(() => expect.unreachable());
  order.add(Promise.resolve(), async () => {
    await Promise.resolve();
    delivered.push("slow");
  });
  order.addReady(() => void delivered.push("clear"));
  await order.settled();
  expect(delivered).toEqual(["slow", "clear"]);
});
