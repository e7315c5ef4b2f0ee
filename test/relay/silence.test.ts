// Bridges that are connected and say nothing, as a laptop with its lid closed, and rooms that find
// out. A room called "look-2000-…" looks at its bridge every 2 s instead of every minute.

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { NUDGE_AFTER_QUIET_MS } from "../../protocol/limits.ts";
import { decodeStamped } from "../../protocol/link.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { until } from "../support/waiting.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

/** There is no event for a room that heard nothing for long enough. */
const quiet = () => delay(NUDGE_AFTER_QUIET_MS + 200);

/** Longer than workerd keeps an idle room. */
const LOOK_MS = 14_000;

async function room(name = newWorkspace()) {
  const bridge = await TestBridge.up(relay, name);
  const { token } = await bridge.grant("edit");
  const peer = await bridge.peer(token);
  const ask = () => relay.ask(`/w/${name}/x`, { token, method: "POST" });
  return { bridge, token, peer, ask, name };
}

const nudges = ({ frames }: TestBridge) =>
  frames.items.filter(({ type }) => type === FrameType.nudge).length;

describe.concurrent("a bridge that says nothing", () => {
  test("R43 R45 R86 R87 R90 is nudged when a peer speaks, and called silent when it does not answer", async () => {
    const { bridge, token, peer, ask, name } = await room();
    bridge.answers = false;
    await quiet();
    const waiting = ask();
    await bridge.next("streamOpen");
    peer.socket.raw.send("one");
    peer.socket.raw.send("two");
    const state = JSON.parse(await peer.socket.bridge("away"));
    expect(state).toMatchObject({ how: "silent", since: expect.any(Number) });
    expect(state.since).toBeLessThan(Date.now() - NUDGE_AFTER_QUIET_MS);
    expect(nudges(bridge)).toBe(1);
    // What came before that was sent on, with its time; what comes now is not.
    const frame = await bridge.next("peerMessage", peer.number);
    expect(Math.abs(Date.now() - (decodeStamped(frame.payload)?.at ?? 0))).toBeLessThan(60_000);
    expect(await bridge.nextText(peer.number)).toBe("two");
    const refused = { code: "bridge_away", since: state.since };
    expect(JSON.parse((await waiting).text)).toMatchObject(refused);
    await bridge.next("streamCancel");
    const atOnce = await ask();
    expect([atOnce.status, JSON.parse(atOnce.text)]).toMatchObject([503, refused]);
    expect(atOnce.headers["retry-after"]).toBeDefined();
    const late = relay.peer(name, token);
    expect(JSON.parse(await late.bridge("away"))).toEqual(state);
    peer.socket.raw.send("dropped");
    await peer.socket.bridge("away");

    // Whatever it sends ends it.
    bridge.send("alive", 0);
    await peer.socket.bridge("here");
    await late.bridge("here");
    await bridge.next("greetAgain");
    peer.socket.raw.send("three");
    expect(await bridge.nextText(peer.number)).toBe("three");
  });

  test("R43 R86 is found out by someone who joins", async () => {
    const { bridge, token, name } = await room();
    bridge.answers = false;
    await quiet();
    const late = relay.peer(name, token);
    expect(JSON.parse(await late.bridge("away"))).toMatchObject({ how: "silent" });
  });

  test("R43 costs one that answers a nudge, and its people nothing", async () => {
    const { bridge, peer } = await room();
    await quiet();
    // One key: the answer to the nudge may overtake a second one, which is then looked after [R100].
    peer.socket.raw.send("a");
    expect(await bridge.nextText(peer.number)).toBe("a");
    await quiet();
    expect(peer.socket.texts.filter((text) => text.includes("away"))).toEqual([]);
    expect(nudges(bridge)).toBe(1);
  });

  test("R88 keeps no agent waiting: its socket is closed with 1013, and no other gets in", async () => {
    const { bridge, peer, name } = await room();
    const { token } = await bridge.grant("agent");
    const headers = { authorization: `Bearer ${token}` };
    const agent = relay.dial(`/w/${name}/acp`, [], headers);
    await bridge.next("peerJoined");
    bridge.answers = false;
    await quiet();
    peer.socket.raw.send("one");
    await peer.socket.bridge("away");
    agent.raw.send("{}");
    expect(await agent.close()).toMatchObject({ code: 1013 });
    expect(await relay.dial(`/w/${name}/acp`, [], headers).close()).toMatchObject({ code: 1013 });
  });

  test("R44 is found out for people who only watch, by an alarm", async () => {
    const { bridge, peer, name } = await room(`look-2000-${newWorkspace()}`);
    bridge.answers = false;
    expect(JSON.parse(await peer.socket.bridge("away"))).toMatchObject({ how: "silent" });
    // Nobody needs to look at it any more.
    await until("no alarm is set", async () => (await relay.probe(name)).alarmAt === null);
    bridge.send("alive", 0);
    await peer.socket.bridge("here");
    await until("an alarm is set", async () => (await relay.probe(name)).alarmAt !== null);
  });

  test("R89 is silent still when the room has slept", async () => {
    const { bridge, peer, name } = await room();
    bridge.answers = false;
    await quiet();
    peer.socket.raw.send("one");
    const state = await peer.socket.bridge("away");
    const { boot } = await relay.probe(name);
    await delay(LOOK_MS);
    peer.socket.raw.send("two");
    expect(await peer.socket.bridge("away")).toBe(state);
    expect((await relay.probe(name)).boot).not.toBe(boot);
    bridge.send("alive", 0);
    await peer.socket.bridge("here");
  });

  test("R77 a room that is watched sleeps between its alarms, and asks its bridge nothing", async () => {
    const { bridge, peer, name } = await room(`look-${LOOK_MS}-${newWorkspace()}`);
    const { boot } = await relay.probe(name);
    const pings = setInterval(() => bridge.socket.raw.send("ping"), 2_000);
    const isLooked = async () => (await relay.probe(name)).alarms.length >= 2;
    try {
      // A look by the test would keep it awake.
      await delay(2 * LOOK_MS + 1_000);
      await until("two alarms came", isLooked, { pollMs: LOOK_MS });
    } finally {
      clearInterval(pings);
    }
    const { alarms } = await relay.probe(name);
    expect(new Set([boot, ...alarms]).size).toBeGreaterThanOrEqual(3);
    expect(nudges(bridge)).toBe(0);
    expect(peer.socket.texts.filter((text) => text.includes("away"))).toEqual([]);
  });

  test("R78 a room that no one watches has no alarm", async () => {
    const { peer, name, bridge } = await room(`look-2000-${newWorkspace()}`);
    peer.socket.end();
    await bridge.next("peerLeft", peer.number);
    await until("no alarm is set", async () => (await relay.probe(name)).alarmAt === null);
  });
});
