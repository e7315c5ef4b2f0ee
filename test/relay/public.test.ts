// A relay that is not on loopback: who may claim a room there, and which pages may use it.

import { afterAll, beforeAll, expect, test } from "vitest";
import { newIdentity, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

const RELAY_KEY = "a key for tests";
const FRIEND = "https://friend.example";

let open: TestRelay;
let closed: TestRelay;
beforeAll(async () => {
  [open, closed] = await Promise.all([
    TestRelay.start({ loopback: false, relayKey: RELAY_KEY, allowedOrigins: [` ${FRIEND} `, ""] }),
    TestRelay.start({ loopback: false }),
  ]);
});
afterAll(() => Promise.all([open.stop(), closed.stop()]));

test("R6 without RELAY_KEY set every claim is refused, and nothing is stored", async () => {
  const workspace = newWorkspace();
  for (const relayKey of [undefined, "", "undefined"]) {
    const change = relayKey === undefined ? {} : { relayKey };
    const bridge = new TestBridge(closed, workspace, { change });
    expect(await bridge.socket.close()).toMatchObject({ code: 4403 });
  }
  expect((await closed.probe(workspace)).keys).toEqual([]);
});

test("R6 a claim needs the key; the owner's later links do not", async () => {
  const workspace = newWorkspace();
  const identity = newIdentity();
  for (const change of [{}, { relayKey: "a key for guests" }, { relayKey: "" }]) {
    const bridge = new TestBridge(open, workspace, { identity, change });
    expect(await bridge.socket.close()).toMatchObject({ code: 4403 });
  }
  const first = await TestBridge.up(open, workspace, { identity, change: { relayKey: RELAY_KEY } });
  const { instance } = first;
  await TestBridge.up(open, workspace, { identity, instance, epoch: 2 });
  expect(await first.socket.close()).toMatchObject({ code: 4410 });
});

test("R7 N16 a public relay takes any Host, and pages of its own origin", async () => {
  const headers = { host: "relay.example", origin: "https://relay.example" };
  expect((await open.ask("/w/some-room/health", { headers })).status).toBe(200);
  for (const origin of ["https://evil.example", "null", "file://relay.example"]) {
    const answer = await open.ask("/w/some-room/health", { headers: { ...headers, origin } });
    expect([origin, answer.status]).toEqual([origin, 403]);
  }
});

test("R7 an origin on the allow-list may ask and read, and no one else is told so", async () => {
  const headers = { host: "relay.example", origin: FRIEND };
  const answer = await open.ask("/w/some-room/health", { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers["access-control-allow-origin"]).toBe(FRIEND);
  expect(answer.headers.vary).toContain("Origin");
  const asked = await open.ask("/w/some-room/mcp", { method: "OPTIONS", headers });
  expect(asked.status).toBe(204);
  expect(asked.headers["access-control-allow-headers"]).toMatch(
    /authorization.*mcp-method, mcp-name/,
  );
  const refused = await closed.ask("/w/some-room/health", { headers });
  expect(refused.status).toBe(403);
  expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
});
