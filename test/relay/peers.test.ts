// People in a room: who is let in, who is let go, and what they are told about the bridge.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LINK_ENDED_REASONS } from "../../protocol/codes.ts";
import { toPayload } from "../../protocol/json.ts";
import { MAX_PEER_MESSAGE, MAX_PEERS, MAX_PEERS_PER_GRANT } from "../../protocol/limits.ts";
import { newToken, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

function room(): Promise<TestBridge> {
  return TestBridge.up(relay, newWorkspace());
}

describe.concurrent("tokens", () => {
  test("R9 a bad token is accepted and closed 4401; none at all too", async () => {
    const bridge = await room();
    const { token, record } = await bridge.grant("edit");
    const stranger = newToken("edit").token;
    const forged = `pp_${record.id}_${stranger.slice(-32)}`;
    for (const bad of [stranger, forged, "nonsense", `${token}0`]) {
      const socket = relay.peer(bridge.workspace, bad);
      expect(await socket.close()).toMatchObject({ code: 4401 });
      await expect(socket.opened).resolves.toBe("pairpty.v1");
    }
    const bare = relay.dial(`/parties/workspace/${bridge.workspace}`);
    expect(await bare.close()).toMatchObject({ code: 4401 });
    await bridge.settle();
    expect(bridge.frames.items.map((frame) => frame.type)).not.toContain(0x10);
  });

  test("R9 an agent's token is closed 4403 at the people's door", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("agent");
    expect(await relay.peer(bridge.workspace, token).close()).toMatchObject({ code: 4403 });
  });

  test("G23 grants of a newer bridge do not end the link: an unknown role opens no person's door", async () => {
    const bridge = await room();
    bridge.serve(() => ({ status: 200 }));
    const { token, record } = newToken("view");
    const { id, hash, expiresAt } = record;
    const own = { role: "gardener", scopes: ["read", "type"], floor: "sandbox" };
    const registered = { id, hash, expiresAt, label: "", ...own };
    bridge.send("grants", 0, { replace: false, add: [registered], remove: [], since: 7 });
    await bridge.settle();
    expect(await relay.peer(bridge.workspace, token).close()).toMatchObject({ code: 4403 });
    expect((await relay.ask(`/w/${bridge.workspace}/x`, { token })).status).toBe(200);
  });

  test("G11 what a grant opens is what the bridge says, whatever its role is called", async () => {
    const bridge = await room();
    bridge.serve(() => ({ status: 200 }));
    const path = `/w/${bridge.workspace}/x`;
    const people = newToken("agent");
    const machine = newToken("edit");
    const nobody = newToken("edit");
    const add = [
      { ...people.record, role: "gardener", doors: ["people", "cellar"], speaks: true },
      { ...machine.record, doors: ["http"], speaks: false },
      { ...nobody.record, doors: ["cellar"], speaks: false },
    ];
    bridge.send("grants", 0, { replace: false, add, remove: [] });
    await bridge.settle();
    expect((await bridge.peer(people.token)).grant).toBe(people.record.id);
    expect((await relay.ask(path, { token: people.token })).status).toBe(403);
    expect((await relay.ask(path, { token: machine.token })).status).toBe(200);
    expect((await relay.ask(path, { token: nobody.token })).status).toBe(403);
    for (const { token } of [machine, nobody]) {
      expect(await relay.peer(bridge.workspace, token).close()).toMatchObject({ code: 4403 });
    }
  });

  test("R9 the room stamps the grant that the token belongs to", async () => {
    const bridge = await room();
    const first = await bridge.grant("edit");
    const second = await bridge.grant("view");
    expect((await bridge.peer(second.token)).grant).toBe(second.record.id);
    expect((await bridge.peer(first.token)).grant).toBe(first.record.id);
  });

  test("R10 revoking closes that grant's sockets with 4401, and only those", async () => {
    const bridge = await room();
    const [gone, kept] = [await bridge.grant("edit"), await bridge.grant("view")];
    const peers = [await bridge.peer(gone.token), await bridge.peer(gone.token)];
    const other = await bridge.peer(kept.token);
    await bridge.grants({ replace: false, add: [], remove: [gone.record.id] });
    for (const { socket, number } of peers) {
      expect(await socket.close()).toMatchObject({ code: 4401 });
      await bridge.next("peerLeft", number);
    }
    expect(await relay.peer(bridge.workspace, gone.token).close()).toMatchObject({ code: 4401 });
    const path = `/w/${bridge.workspace}/x`;
    expect((await relay.ask(path, { token: gone.token })).status).toBe(401);
    other.socket.raw.send("still here");
    await bridge.next("peerMessage", other.number);
  });

  test("R10 G39 a list that replaces the old one lets go of everyone not on it", async () => {
    const bridge = await room();
    const [gone, kept] = [await bridge.grant("edit"), await bridge.grant("view")];
    const old = await bridge.peer(gone.token);
    const other = await bridge.peer(kept.token);
    await bridge.grants({ replace: true, add: [kept.record], remove: [] });
    expect(await old.socket.close()).toMatchObject({ code: 4401 });
    other.socket.raw.send("still here");
    await bridge.next("peerMessage", other.number);
  });

  test("R10 an expired grant's sockets are closed when its time comes, and not before", async () => {
    const bridge = await room();
    const expiresAt = Date.now() + 4_000;
    const { token } = await bridge.grant("edit", expiresAt);
    const { socket, number } = await bridge.peer(token);
    expect(await socket.close()).toMatchObject({ code: 4401 });
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
    await bridge.next("peerLeft", number);
    expect(await relay.peer(bridge.workspace, token).close()).toMatchObject({ code: 4401 });
    const answer = await relay.ask(`/w/${bridge.workspace}/x`, { token });
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });
});

describe.concurrent("messages", () => {
  test("R98 bytes are closed 4400 and an over-long text 1009; the bridge sees neither", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("edit");
    const binary = await bridge.peer(token);
    binary.socket.raw.send(Buffer.from("bytes"));
    expect(await binary.socket.close()).toMatchObject({ code: 4400 });
    const wide = await bridge.peer(token);
    wide.socket.raw.send("ä".repeat(MAX_PEER_MESSAGE / 2 + 1));
    expect(await wide.socket.close()).toMatchObject({ code: 1009 });
    const other = await bridge.peer(token);
    other.socket.raw.send("x".repeat(MAX_PEER_MESSAGE));
    expect((await bridge.next("peerMessage")).stream).toBe(other.number);
  });

  test("R98 a message of many megabytes costs its sender the socket, and no one else", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("edit");
    const [loud, calm] = [await bridge.peer(token), await bridge.peer(token)];
    loud.socket.raw.send("x".repeat(8 << 20));
    expect(await loud.socket.close()).toMatchObject({ code: 1009 });
    calm.socket.raw.send("hello");
    await bridge.next("peerMessage", calm.number);
  });

  test("R19 texts from the bridge go to the peer named, or to all", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("view");
    const [first, second] = [await bridge.peer(token), await bridge.peer(token)];
    bridge.send("peerSend", first.number, Buffer.from("only you"));
    bridge.send("peerSend", 0, Buffer.from("everybody"));
    bridge.send("peerSend", 4_000_000, Buffer.from("nobody"));
    await second.socket.text((text) => text === "everybody");
    await first.socket.text((text) => text === "everybody");
    expect(first.socket.texts).toContain("only you");
    expect(second.socket.texts).not.toContain("only you");
    bridge.send("peerClose", first.number, { code: 1013, reason: "too slow" });
    expect(await first.socket.closed).toEqual({ code: 1013, reason: "too slow" });
    await bridge.next("peerLeft", first.number);
  });
});

describe.concurrent("the bridge's coming and going", () => {
  test("R55 peers keep their sockets, are told away with since, then here", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("edit");
    const { socket, number } = await bridge.peer(token);
    await socket.bridge("here");
    const before = Date.now();
    bridge.end();
    const registered = JSON.parse(await socket.bridge("away"));
    expect(registered).toMatchObject({ type: "bridge", state: "away" });
    expect(registered.since).toBeGreaterThanOrEqual(before - 5);
    socket.raw.send("into the void");
    expect(JSON.parse(await socket.bridge("away"))).toEqual(registered);
    const late = relay.peer(bridge.workspace, token);
    expect(JSON.parse(await late.bridge("away"))).toEqual(registered);
    const { workspace, identity, instance } = bridge;
    const back = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
    await socket.bridge("here");
    await late.bridge("here");
    socket.raw.send("back");
    expect(await back.nextText(number)).toBe("back");
  });

  test("R14 HTTP is 503 at once with Retry-After and since when", async () => {
    const bridge = await room();
    const { token } = await bridge.grant("edit");
    const { socket } = await bridge.peer(token);
    bridge.end();
    const since: unknown = JSON.parse(await socket.bridge("away")).since;
    const answer = await relay.ask(`/w/${bridge.workspace}/pty/spawn`, { method: "POST", token });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "bridge_away", since });
    const health = await relay.ask(`/w/${bridge.workspace}/health`, { token });
    expect(health.status).toBe(503);
  });
});

test("R34 the 51st by one grant is closed 4429; other grants are as free as before", async () => {
  const bridge = await room();
  const [leaked, other] = [await bridge.grant("view"), await bridge.grant("view")];
  const people = [];
  for (let count = 0; count < MAX_PEERS_PER_GRANT; count++) {
    people.push(await bridge.peer(leaked.token));
  }
  const late = await relay.peer(bridge.workspace, leaked.token).closed;
  expect(late.code).toBe(4429);
  expect(late.reason).toContain("are already using this link");
  await bridge.peer(other.token);
  people[0]?.socket.end();
  await bridge.next("peerLeft");
  await bridge.peer(leaked.token);
});

test("R13 the 201st person is closed 4429; one who leaves makes room", async () => {
  const bridge = await room();
  const people = [];
  for (let link = 0; link < MAX_PEERS / MAX_PEERS_PER_GRANT; link++) {
    const { token } = await bridge.grant("view");
    for (let count = 0; count < MAX_PEERS_PER_GRANT; count++) people.push(await bridge.peer(token));
  }
  const { token } = await bridge.grant("edit");
  const late = await relay.peer(bridge.workspace, token).closed;
  expect(late).toEqual({ code: 4429, reason: `This room has ${MAX_PEERS} people already.` });
  bridge.send("peerSend", 0, Buffer.from("all of you"));
  await Promise.all(people.map(({ socket }) => socket.text((text) => text === "all of you")));
  people[0]?.socket.end();
  await bridge.next("peerLeft");
  await bridge.peer(token);
});

describe.concurrent("a bridge that goes", () => {
  test("TU31 TU45 an end on purpose reaches everyone before their links end, and those who come later", async () => {
    const bridge = await room();
    const [own, shared] = [await bridge.grant("edit"), await bridge.grant("view")];
    const peer = await bridge.peer(own.token);
    const other = await bridge.peer(shared.token);
    await peer.socket.bridge("here");
    bridge.send("farewell", 0, toPayload({ state: "ended", by: "stop" }));
    await bridge.grants({ replace: false, add: [], remove: [own.record.id] });
    const registered = { state: "away", how: "ended", by: "stop" };
    expect(JSON.parse(await peer.socket.bridge("away"))).toMatchObject(registered);
    expect(await peer.socket.close()).toEqual({ code: 4401, reason: LINK_ENDED_REASONS.ended });
    bridge.end();
    expect(JSON.parse(await other.socket.bridge("away"))).toMatchObject(registered);
    const late = relay.peer(bridge.workspace, shared.token);
    expect(JSON.parse(await late.bridge("away"))).toMatchObject(registered);
    const back = relay.peer(bridge.workspace, own.token);
    expect(await back.close()).toEqual({ code: 4401, reason: LINK_ENDED_REASONS.ended });
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

  test("TU31 TU47 a revoked link, an expired one and one that never was each have their reason", async () => {
    const bridge = await room();
    const revoked = await bridge.grant("edit");
    const expiring = await bridge.grant("edit", Date.now() + 1_500);
    const peers = [await bridge.peer(revoked.token), await bridge.peer(expiring.token)];
    await bridge.grants({ replace: false, add: [], remove: [revoked.record.id] });
    const reasons = await Promise.all(peers.map(({ socket }) => socket.close()));
    expect(reasons).toMatchObject([
      { reason: LINK_ENDED_REASONS.revoked },
      { reason: LINK_ENDED_REASONS.expired },
    ]);
    const again = (token: string) => relay.peer(bridge.workspace, token).close();
    expect(await again(revoked.token)).toMatchObject({ reason: LINK_ENDED_REASONS.revoked });
    expect(await again(expiring.token)).toMatchObject({ reason: LINK_ENDED_REASONS.expired });
    // Somebody who knows the id alone learns nothing.
    const guessed = `${revoked.token.slice(0, -4)}zzzz`;
    expect(await again(guessed)).toMatchObject({
      code: 4401,
      reason: "The token is missing, unknown, revoked or expired.",
    });
  });
});
