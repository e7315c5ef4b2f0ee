// What is left of a room when its runtime is replaced: everything that was promised, no socket.

import { afterEach, beforeEach, expect, test } from "vitest";
import { ChannelState } from "../../protocol/link.ts";
import { newIdentity, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

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

test("R21 a room whose link had ended still knows its channels after a restart", async () => {
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
