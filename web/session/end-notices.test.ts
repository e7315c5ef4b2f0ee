// Seven ways to end, each with its own message.

import { expect, test } from "vitest";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import type { BridgeState } from "../../protocol/pty.ts";
import { explainWait } from "./room-socket.ts";
import type { Reader } from "./end-notices.ts";
import { explainHostAway, explainLinkEnd, parseGoneReason, isTooLate } from "./end-notices.ts";

const clock = (at: number) => `t${at}`;
const away = (facts: Partial<BridgeState>): BridgeState => ({
  type: "bridge",
  state: "away",
  since: 5,
  ...facts,
});
const getNotice = (facts: Partial<BridgeState>, now = 6, reader: Partial<Reader> = {}) =>
  explainHostAway(away(facts), now, { clock, ...reader });

test("W40 W13 crashed, silent, offline, ended, revoked, expired and never opened are seven sentences", () => {
  const sentences = [
    getNotice({ how: "crashed", until: 20 }).text,
    getNotice({ how: "silent" }).text,
    getNotice({ how: "offline" }).text,
    getNotice({ how: "ended", by: "window" }, 6, { terminals: 2 }).text,
    explainLinkEnd("revoked").text,
    explainLinkEnd("expired").text,
    explainWait(4404),
  ];
  expect(new Set(sentences).size).toBe(7);
  expect(sentences).not.toContain(undefined);
});

test("W123 that terminals run on is said only while they are known to wait", () => {
  const runOn = /keep running/;
  expect(getNotice({ how: "crashed", until: 20 }).text).toMatch(/keep running and wait until t20/);
  expect(getNotice({ how: "left", until: 20 }).text).toMatch(runOn);
  expect(getNotice({ how: "crashed", until: 20 }, 20).text).toMatch(/its terminals have ended/);
  for (const end of [
    getNotice({ how: "crashed" }),
    getNotice({ how: "offline" }),
    getNotice({}),
    getNotice({ how: "ended" }),
    explainLinkEnd("revoked"),
    explainLinkEnd("expired"),
    explainLinkEnd("ended"),
    explainLinkEnd(undefined),
  ]) {
    expect(end.text).not.toMatch(runOn);
  }
});

test("W40 an end says who did it, when, and what is gone", () => {
  expect(getNotice({ how: "ended", by: "window" }, 6, { terminals: 2 })).toEqual({
    title: "Ended",
    when: " at t5",
    text: "The host ended this session from pairpty’s own window at t5. Its 2 terminals are gone. The last output stays readable here. To continue, ask the host for a new link.",
  });
  const hands = ["window", "stop", "signal", "idle", "of a later version"];
  expect(new Set(hands.map((by) => getNotice({ how: "ended", by }).text)).size).toBe(5);
  expect(getNotice({ how: "ended" }, 6, { terminals: 1 }).text).toContain("Its terminal is gone.");
  expect(getNotice({ how: "ended" }, 6, { terminals: 0 }).text).toContain("No terminal was open.");
});

test("W129 W128 an end names what its reader can do: the host, a guest, a guest by an address that ends, too", () => {
  const ended = { how: "ended", by: "stop" } as const;
  expect(getNotice(ended).text).toMatch(/To continue, ask the host for a new link\.$/);
  expect(getNotice(ended, 6, { isHost: true }).text).toMatch(/To start again, run `pairpty`\.$/);
  const lasting = getNotice(ended, 6, { isLasting: true }).text;
  expect(lasting).toMatch(/this page resumes when the host starts pairpty again\.$/);
  expect(getNotice(ended, 6, { isLasting: true, isPassing: true }).text).toContain("a new link");
  for (const how of ["left", "crashed"] as const) {
    expect(getNotice({ how, until: 20 }).text).toMatch(/This page resumes when it is back\.$/);
    expect(getNotice({ how, until: 20 }, 6, { isPassing: true }).text).toMatch(
      /address has ended: ask the host for a new link\.$/,
    );
    expect(getNotice({ how, until: 20 }, 20).text).toMatch(/ended\. To continue, ask the host/);
    expect(isTooLate(away({ how, until: 20 }), 20)).toBe(true);
    expect(isTooLate(away({ how }), 20)).toBe(false);
  }
});

test("W40 a host that is away at a relay elsewhere is offline since then, and the rest is said with an if", () => {
  const end = getNotice({ how: "offline" });
  expect([end.title, end.when]).toEqual(["Host offline", " since t5"]);
  expect(end.text).toContain("If it is running, so are its terminals.");
  const unknown: BridgeState = { type: "bridge", state: "away", how: "offline" };
  expect(explainHostAway(unknown, 6, { clock })).toMatchObject({ title: "Host offline", when: "" });
});

test("W40 the room's reasons are known again, and nothing else is taken for one", () => {
  for (const how of ["revoked", "expired", "ended"] as const) {
    expect(parseGoneReason(LINK_ENDED_REASONS[how])).toBe(how);
  }
  expect(parseGoneReason("The token is missing, unknown, revoked or expired.")).toBeUndefined();
});

test("W13 a silent host is not called offline, and says since when", () => {
  expect(getNotice({ how: "silent" })).toMatchObject({
    title: "Host not responding",
    when: " since t5",
  });
  const unknown: BridgeState = { type: "bridge", state: "away", how: "silent" };
  expect(explainHostAway(unknown, 6, { clock }).when).toBe("");
});
