// What is left of a room when its runtime is replaced: everything that was promised, no socket.

import { afterEach, beforeEach, expect, test } from "vitest";
import { StreamOpen } from "../../protocol/http.ts";
import { ChannelState, PeerJoined } from "../../protocol/link.ts";
import { newIdentity, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { until } from "../support/waiting.ts";

let relay: TestRelay;
beforeEach(async () => {
  relay = await TestRelay.start();
});
afterEach(() => relay.stop());

test("R22 a redeploy or a restart loses no claim and no grant", async () => {
  const workspace = newWorkspace();
  const bridge = await TestBridge.up(relay, workspace);
  const kept = await bridge.grant("edit");
  const revoked = await bridge.grant("edit");
  await bridge.grants({ replace: false, add: [], remove: [revoked.record.id] });
  const expiresAt = Date.now() + 4_000;
  const short = await bridge.grant("view", expiresAt);
  const before = await bridge.peer(kept.token);
  bridge.send("channelOpen", 1, { key: "a", text: true });
  await bridge.settle();

  await relay.restart();
  await bridge.socket.close("the link outlived its runtime");
  await before.socket.close("a peer outlived its runtime");

  // Nobody has to come back first for the grants to count.
  const peer = relay.peer(workspace, kept.token);
  await peer.bridge("away");
  expect(await relay.peer(workspace, revoked.token).close()).toMatchObject({ code: 4401 });
  const answer = await relay.ask(`/w/${workspace}/x`, { token: kept.token });
  expect(answer.status).toBe(503);
  const thief = new TestBridge(relay, workspace, { identity: newIdentity() });
  expect(await thief.socket.close()).toMatchObject({ code: 4401 });

  const { identity, instance } = bridge;
  const back = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  await peer.bridge("here");
  const { stream } = await back.next("peerJoined");
  expect(stream).not.toBe(before.number);
  back.send("channelOpen", 1, { key: "a", text: true });
  back.send("join", 1, { peer: stream, attach: 1, offset: 3 });
  back.output(1, 3, "on it goes");
  await peer.text((text) => text === "on it goes");
  expect(back.frames.items.filter((frame) => frame.type === 0x22)).toEqual([]);

  const late = relay.peer(workspace, short.token);
  expect(await late.close()).toMatchObject({ code: 4401 });
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
});

test("R99 the room tells every bridge the ticket of each peer, and keeps it out of its storage and log", async () => {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { workspace, identity, instance } = bridge;
  const { token, record } = await bridge.grant("edit");
  const peer = relay.peer(workspace, token);
  const first = await bridge.nextRead("peerJoined", PeerJoined);
  expect(first).toMatchObject({ grant: record.id, ticket: token });
  const back = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  const again = await back.nextRead("peerJoined", PeerJoined);
  expect(again).toMatchObject({ stream: first.stream, grant: record.id, ticket: token });
  const asked = relay.ask(`/w/${workspace}/x`, { token });
  const { ticket, stream } = await back.nextRead("streamOpen", StreamOpen);
  expect(ticket).toBe(token);
  back.send("streamHead", stream, { status: 204, headers: [] });
  back.send("streamEnd", stream);
  expect((await asked).status).toBe(204);
  peer.end();
  // The hash is there: the grants are kept.
  expect(relay.isOnDisk(record.hash)).toBe(true);
  expect(relay.isOnDisk(token)).toBe(false);
  expect(relay.log.join("\n")).not.toContain(token);
});

test("R60 a room whose link had ended still knows its channels after a restart", async () => {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { workspace, identity, instance } = bridge;
  const { token } = await bridge.grant("view");
  const peer = await bridge.peer(token);
  bridge.send("channelOpen", 1, { key: "a", text: true });
  bridge.output(1, 0, "12345");
  await bridge.settle();
  bridge.end();
  await peer.socket.bridge("away");
  await relay.restart();
  const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  expect(await next.nextRead("channelState", ChannelState, 1)).toMatchObject({ received: 5 });
});

const NAME_KEY = "__ps_name";

/** A room that looks at its bridge every second, with one peer and its alarm set. */
async function watchedRoom() {
  const bridge = await TestBridge.up(relay, `look-1000-${newWorkspace()}`);
  const { token } = await bridge.grant("edit");
  await bridge.peer(token);
  await until("an alarm is set", async () => {
    return (await relay.probe(bridge.workspace)).alarmAt !== null;
  });
  return { bridge, token };
}

/** Restarts the runtime when the alarm is overdue, and waits until that has woken the room. */
async function wakeByAlarm(workspace: string) {
  await relay.restart(Date.now() + 1_500);
  await until("the alarm ran", async () => (await relay.countAlarms(workspace)) > 0);
}

async function expectService({ workspace, identity, instance }: TestBridge, token: string) {
  expect((await relay.ask(`/w/${workspace}/x`, { token })).status).toBe(503);
  const early = relay.peer(workspace, token);
  await early.bridge("away");
  const back = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  await early.bridge("here");
  const { stream } = await back.next("peerJoined");
  early.raw.send("hello");
  expect(await back.nextText(stream)).toBe("hello");
  const late = await back.peer(token);
  back.send("peerSend", late.number, Buffer.from("<to you>"));
  await late.socket.text((text) => text === "<to you>");
  expect(relay.log.filter((line) => line.includes("Cannot determine the name"))).toEqual([]);
}

test("R46 R92 a room that an overdue alarm wakes first serves everyone, in its first session", async () => {
  const { bridge, token } = await watchedRoom();
  expect((await relay.probe(bridge.workspace)).keys).toContain(NAME_KEY);
  await wakeByAlarm(bridge.workspace);
  await expectService(bridge, token);
});

test("R46 R92 a room that stored no name serves everyone after its alarm, and stores it", async () => {
  const { bridge, token } = await watchedRoom();
  await relay.forgetName(bridge.workspace);
  expect((await relay.probe(bridge.workspace)).keys).not.toContain(NAME_KEY);
  await wakeByAlarm(bridge.workspace);
  await expectService(bridge, token);
  expect((await relay.probe(bridge.workspace)).keys).toContain(NAME_KEY);
});

test("R92 R93 a bridge gets in first after the alarm, and the room stays quiet without it", async () => {
  const { bridge, token } = await watchedRoom();
  const { workspace, identity, instance } = bridge;
  await relay.forgetName(workspace);
  const { keys } = await relay.probe(workspace);
  await wakeByAlarm(workspace);
  const woken = await relay.probe(workspace);
  // The alarm of a room without link and peers writes nothing, sets no other, and does not fail.
  expect([woken.keys, woken.alarmAt, woken.alarms.length]).toEqual([keys, null, 1]);
  const back = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
  await back.peer(token);
  expect(relay.log.filter((line) => /exception|error/i.test(line))).toEqual([]);
});
