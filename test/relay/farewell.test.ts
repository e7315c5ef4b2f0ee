// A bridge that goes: what it says before, what peers and latecomers are told.

import { afterAll, beforeAll, expect, test } from "vitest";
import { GONE_REASONS } from "../../protocol/codes.ts";
import { toPayload } from "../../protocol/json.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

const room = () => TestBridge.up(relay, newWorkspace());

test("TU30 TU31 an end on purpose reaches everybody before their links end, and those who come later", async () => {
  const bridge = await room();
  const [own, shared] = [await bridge.grant("edit"), await bridge.grant("view")];
  const peer = await bridge.peer(own.token);
  const other = await bridge.peer(shared.token);
  await peer.socket.bridge("here");
  bridge.send("farewell", 0, toPayload({ state: "ended", by: "stop", terminals: 2 }));
  await bridge.grants({ replace: false, add: [], remove: [own.record.id] });
  const told = { state: "away", how: "ended", by: "stop", terminals: 2 };
  expect(JSON.parse(await peer.socket.bridge("away"))).toMatchObject(told);
  expect(await peer.socket.close()).toEqual({ code: 4401, reason: GONE_REASONS.ended });
  bridge.end();
  expect(JSON.parse(await other.socket.bridge("away"))).toMatchObject(told);
  const late = relay.peer(bridge.workspace, shared.token);
  expect(JSON.parse(await late.bridge("away"))).toMatchObject(told);
  const back = relay.peer(bridge.workspace, own.token);
  expect(await back.close()).toEqual({ code: 4401, reason: GONE_REASONS.ended });
  // The next bridge begins anew.
  const { workspace, identity } = bridge;
  const next = await TestBridge.up(relay, workspace, { identity, epoch: 2 });
  await late.bridge("here");
  next.send("farewell", 0, toPayload({ state: "running", graceMs: 60_000 }));
  await next.settle();
  next.socket.raw.terminate();
  const crashed = JSON.parse(await late.bridge("away"));
  expect(crashed).toMatchObject({ how: "crashed", until: crashed.since + 60_000 });
});

test("TU31 a revoked link, an expired one and one that never was each have their reason", async () => {
  const bridge = await room();
  const revoked = await bridge.grant("edit");
  const expiring = await bridge.grant("edit", Date.now() + 1_500);
  const peers = [await bridge.peer(revoked.token), await bridge.peer(expiring.token)];
  await bridge.grants({ replace: false, add: [], remove: [revoked.record.id] });
  const reasons = await Promise.all(peers.map(({ socket }) => socket.close()));
  expect(reasons).toMatchObject([
    { reason: GONE_REASONS.revoked },
    { reason: GONE_REASONS.expired },
  ]);
  const again = (token: string) => relay.peer(bridge.workspace, token).close();
  expect(await again(revoked.token)).toMatchObject({ reason: GONE_REASONS.revoked });
  expect(await again(expiring.token)).toMatchObject({ reason: GONE_REASONS.expired });
  // Somebody who knows the id alone learns nothing.
  const guessed = `${revoked.token.slice(0, -4)}zzzz`;
  expect(await again(guessed)).toMatchObject({
    code: 4401,
    reason: "The token is missing, unknown, revoked or expired.",
  });
});
