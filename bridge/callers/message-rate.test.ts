import { expect, test } from "vitest";
import type { Caller } from "./caller.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { spoken } from "../../test/support/spoken.ts";
import { ROOM_LIMIT } from "../dialects/room/dialect.ts";
import { MessageRate } from "./message-rate.ts";

test("PE28 one caller has 40 messages saved up and 5 a second, never more, and none of another's", () => {
  let now = 1_000;
  const rate = new MessageRate(() => now);
  const [ana, ben] = [callerWith(createGrant("a")), callerWith(createGrant("b"))];
  const send = (caller: Caller, type = "room:look") => rate.tryTake(caller, ROOM_LIMIT, type);
  const getSent = (tries: number) =>
    Array.from({ length: tries }, () => send(ana)).filter(Boolean).length;
  expect(getSent(60)).toBe(40);
  expect(send(ben)).toBe(true);
  expect(send(ana, "pairpty:pong"), "does not count").toBe(true);
  expect(rate.tryTake(ana, { ...ROOM_LIMIT }, "room:look"), "of another dialect").toBe(true);
  now += 2_000;
  expect(getSent(60)).toBe(10);
  now += 3_600_000;
  expect(getSent(60)).toBe(40);
});

test("PE28 the hub keeps a dialect's limit, and answers in its words", () => {
  const received: string[] = [];
  const { come, say } = spoken({
    prefix: "one:",
    doors: ["people"],
    limit: { burst: 2, perSecond: 0, except: ["one:free"] },
    onMessage: (_sender, { type }) => void received.push(type),
    error: (code, error) => JSON.stringify({ type: "one:error", code, error }),
  });
  const ana = come({ role: "edit" });
  for (const type of ["one:a", "one:free", "one:b", "one:c", "one:free"]) say(ana, { type });
  expect(received).toEqual(["one:a", "one:free", "one:b", "one:free"]);
  expect(ana.messages.map((text) => JSON.parse(text))).toMatchObject([
    { type: "one:error", code: "too_many" },
  ]);
});
