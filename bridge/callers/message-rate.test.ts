import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { MessageRate } from "./message-rate.ts";

test("PE28 one caller has 40 messages saved up and 5 a second, never more, and none of another's", () => {
  let now = 1_000;
  const rate = new MessageRate(() => now);
  const [ana, ben] = [callerWith(createGrant("a")), callerWith(createGrant("b"))];
  const getSent = (tries: number) =>
    Array.from({ length: tries }, () => rate.tryTake(ana)).filter(Boolean).length;
  expect(getSent(60)).toBe(40);
  expect(rate.tryTake(ben)).toBe(true);
  now += 2_000;
  expect(getSent(60)).toBe(10);
  now += 3_600_000;
  expect(getSent(60)).toBe(40);
});
