// Hellos of other versions, and which claims are accepted.

import { expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { toBytes } from "../../protocol/text.ts";
import { judgeHello } from "./hello.ts";

/** A recorded hello, made for the nonce below. */
const RECORDED =
  '{"version":3,"workspace":"calm-otter-1","origin":"http://127.0.0.1:4711","publicKey":"cff857a768dbfa47e78821e87e9a2aaf702d11e3ed10c640486fa7039cd98b40","signature":"bd5afc708c5bff243a64c0653e437991da39f1a1c1c486acfd80e2cf00f9b65f5e831048f0decde27c1033630ebbd65e0f93fa0bb8c8980824dedb15e080c30b","instance":"abababababababababababababababab","epoch":3,"software":"pairpty/0.1.0"}';
const PLACE = { nonce: "5c".repeat(32), workspace: "calm-otter-1", host: "127.0.0.1:4711" };

const unclaimed = () => ({ claim: undefined, rules: { loopback: true, relayKey: undefined } });

test("R51 another version of the link is refused, and the older side is told to upgrade", async () => {
  const judge = async (version: number) => {
    const hello = RECORDED.replace('"version":3', `"version":${version}`);
    return await judgeHello(toBytes(hello), PLACE, unclaimed);
  };
  const refused = (reason: string) => ({ ok: false, refusal: { code: CloseCode.version, reason } });
  expect(await judge(2)).toEqual(
    refused("Upgrade pairpty on the host: it speaks version 2 of the link, the other side 3."),
  );
  expect(await judge(4)).toEqual(
    refused("Upgrade the relay: it speaks version 3 of the link, the other side 4."),
  );
});

test("G23 a recorded hello is good, and so is one with fields of a newer bridge", async () => {
  const newer = RECORDED.replace('"epoch":3', '"epoch":3,"speaks":["acp"]');
  for (const hello of [RECORDED, newer]) {
    expect(await judgeHello(toBytes(hello), PLACE, unclaimed)).toMatchObject({ ok: true });
  }
});

test("R5 R49 a recorded hello is good for its own nonce, room and relay, and for its owner's key", async () => {
  const judge = async (place: Partial<typeof PLACE>, claimed?: string) =>
    await judgeHello(toBytes(RECORDED), { ...PLACE, ...place }, () => ({
      ...unclaimed(),
      claim: claimed === undefined ? undefined : { publicKey: claimed, claimedAt: 0 },
    }));
  const refused = { ok: false };
  expect(await judge({ nonce: "5d".repeat(32) })).toMatchObject(refused);
  expect(await judge({ workspace: "calm-otter-2" })).toMatchObject(refused);
  expect(await judge({ host: "127.0.0.1:4712" })).toMatchObject(refused);
  expect(await judge({}, "00".repeat(32))).toMatchObject(refused);
});

test("R6 a claim of a relay that is not on loopback needs its key; a missing one is told from a wrong one", async () => {
  const judge = async (relayKey: string | undefined, shown?: string) => {
    const hello = shown === undefined ? RECORDED : withKey(shown);
    const rules = { loopback: false, relayKey };
    return await judgeHello(toBytes(hello), PLACE, () => ({ claim: undefined, rules }));
  };
  const refused = (reason: string) => ({
    ok: false,
    refusal: { code: CloseCode.forbidden, reason },
  });
  const missing = "A new workspace here needs the relay's key.";
  expect(await judge("the key")).toEqual(refused(missing));
  expect(await judge("the key", "")).toEqual(refused(missing));
  expect(await judge("the key", "another key")).toEqual(refused("Wrong relay key."));
  for (const none of [undefined, ""]) {
    expect(await judge(none, "the key")).toEqual(refused("This relay accepts no new workspaces."));
  }
  expect(await judge("the key", "the key")).toMatchObject({ ok: true });
});

/** Returns the recorded hello with a relay key, which its signature does not cover. */
function withKey(relayKey: string): string {
  return JSON.stringify({ ...JSON.parse(RECORDED), relayKey });
}
