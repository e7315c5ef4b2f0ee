// Hellos of other versions, judged by this one.

import { expect, test } from "vitest";
import { toBytes } from "../../protocol/text.ts";
import { judgeHello } from "./hello.ts";

/** As a bridge of version 0.1.0 said it, to a room that had asked with this nonce. */
const OF_BEFORE =
  '{"version":1,"workspace":"calm-otter-1","origin":"http://127.0.0.1:4711","publicKey":"cff857a768dbfa47e78821e87e9a2aaf702d11e3ed10c640486fa7039cd98b40","signature":"bd5afc708c5bff243a64c0653e437991da39f1a1c1c486acfd80e2cf00f9b65f5e831048f0decde27c1033630ebbd65e0f93fa0bb8c8980824dedb15e080c30b","instance":"abababababababababababababababab","epoch":3,"software":"pairpty/0.1.0"}';
const PLACE = { nonce: "5c".repeat(32), workspace: "calm-otter-1", host: "127.0.0.1:4711" };

const unclaimed = () => ({ claim: undefined, rules: { loopback: true, relayKey: undefined } });

test("G11 the hello of a bridge of the version before is good, and so is one with fields of a newer one", async () => {
  const newer = OF_BEFORE.replace('"epoch":3', '"epoch":3,"speaks":["acp"]');
  for (const hello of [OF_BEFORE, newer]) {
    expect(await judgeHello(toBytes(hello), PLACE, unclaimed)).toMatchObject({ ok: true });
  }
});

test("R5 a recorded hello is good for its own nonce, room and relay, and for its owner's key", async () => {
  const judge = async (place: Partial<typeof PLACE>, claimed?: string) =>
    await judgeHello(toBytes(OF_BEFORE), { ...PLACE, ...place }, () => ({
      ...unclaimed(),
      claim: claimed === undefined ? undefined : { publicKey: claimed, claimedAt: 0 },
    }));
  const refused = { ok: false };
  expect(await judge({ nonce: "5d".repeat(32) })).toMatchObject(refused);
  expect(await judge({ workspace: "calm-otter-2" })).toMatchObject(refused);
  expect(await judge({ host: "127.0.0.1:4712" })).toMatchObject(refused);
  expect(await judge({}, "00".repeat(32))).toMatchObject(refused);
});
