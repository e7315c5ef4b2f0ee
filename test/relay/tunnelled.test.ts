// A relay on loopback to which a tunnel leads: others come by it, so loopback is no proof of anything.

import { afterAll, beforeAll, expect, test } from "vitest";
import { newIdentity, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

const RELAY_KEY = "a key of this run";
const TUNNEL_HOST = "calm-river.trycloudflare.com";

let relay: TestRelay;
let unnamed: TestRelay;
beforeAll(async () => {
  [relay, unnamed] = await Promise.all([
    TestRelay.start({ relayKey: RELAY_KEY, tunnelHost: TUNNEL_HOST }),
    TestRelay.start({ relayKey: RELAY_KEY, tunnelHost: "" }),
  ]);
});
afterAll(() => Promise.all([relay.stop(), unnamed.stop()]));

const getStatus = async (of: TestRelay, headers: Record<string, string>) =>
  (await of.ask("/w/some-room/health", { headers })).status;

test("TU4 it takes exactly the tunnel's host beside loopback, with pages of that origin", async () => {
  const own = { host: TUNNEL_HOST };
  expect(await getStatus(relay, own)).toBe(200);
  expect(await getStatus(relay, { host: TUNNEL_HOST.toUpperCase() })).toBe(200);
  expect(await getStatus(relay, { ...own, origin: `https://${TUNNEL_HOST}` })).toBe(200);
  expect(await getStatus(relay, { host: relay.host, origin: `http://${relay.host}` })).toBe(200);
  for (const origin of [
    "null",
    `http://${TUNNEL_HOST}`,
    "https://evil.example",
    `http://${relay.host}`,
    `https://${TUNNEL_HOST}:8443`,
  ]) {
    expect([origin, await getStatus(relay, { ...own, origin })]).toEqual([origin, 403]);
  }
  expect(await getStatus(relay, { host: relay.host, origin: `https://${TUNNEL_HOST}` })).toBe(403);
  for (const host of [
    `${TUNNEL_HOST}.evil.example`,
    `x.${TUNNEL_HOST}`,
    `${TUNNEL_HOST}:${relay.port}`,
    "other.trycloudflare.com",
    "evil.example",
  ]) {
    expect([host, await getStatus(relay, { host })]).toEqual([host, 403]);
  }
});

test("TU4 TU38 while the name is not known, only loopback is taken", async () => {
  expect(await getStatus(unnamed, { host: unnamed.host })).toBe(200);
  expect(await getStatus(unnamed, { host: TUNNEL_HOST })).toBe(403);
});

test("TU37 TU38 a claim needs the key, by loopback too, from before the name is known", async () => {
  for (const of of [relay, unnamed]) {
    const workspace = newWorkspace();
    const identity = newIdentity();
    for (const change of [{}, { relayKey: "" }, { relayKey: "a key of guests" }]) {
      const bridge = new TestBridge(of, workspace, { identity, change });
      expect(await bridge.socket.close()).toMatchObject({ code: 4403 });
    }
    expect((await of.probe(workspace)).keys).toEqual([]);
    await TestBridge.up(of, workspace, { identity, change: { relayKey: RELAY_KEY } });
  }
});
