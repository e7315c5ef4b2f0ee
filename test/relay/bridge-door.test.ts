// How a bridge gets into a room: claims, hellos, and what becomes of those that are not let in.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { PeerJoined } from "../../protocol/link.ts";
import { LINK_VERSION } from "../../protocol/limits.ts";
import { newInstance, newToken, newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import type { Dialling } from "../support/test-bridge.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { until } from "../support/waiting.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

/** Longer than the room waits for a hello, or for an answer to a nudge. */
const SLOW_MS = 14_000;

describe.concurrent("an unclaimed room", () => {
  test("R4 answers 404, closes sockets 4404 and stores nothing", async () => {
    const workspace = newWorkspace();
    const { token } = newToken("edit");
    const answer = await relay.ask(`/w/${workspace}/mcp`, { token });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "not_found" });
    expect(await relay.peer(workspace, token).close()).toMatchObject({ code: 4404 });
    expect((await relay.probe(workspace)).keys).toEqual([]);
  });

  test("R48 without a token no one learns whether it is claimed: 401, 4401", async () => {
    const workspace = newWorkspace();
    for (const token of [undefined, "pp_no-token"]) {
      const asking = token === undefined ? {} : { token };
      const answer = await relay.ask(`/w/${workspace}/mcp`, { method: "POST", ...asking });
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([
        401,
        expect.stringMatching(/^Bearer /),
      ]);
      expect((await relay.ask(`/w/${workspace}/pty`, asking)).status).toBe(401);
    }
    expect(await relay.peer(workspace, "pp_no-token").close()).toMatchObject({ code: 4401 });
  });

  test("R4 stores nothing for bridges that are turned away or leave", async () => {
    const workspace = newWorkspace();
    const bad = new TestBridge(relay, workspace, { signature: () => "00".repeat(64) });
    expect(await bad.socket.close()).toMatchObject({ code: 4401 });
    expect((await relay.probe(workspace)).keys).toEqual([]);
    const silent = new TestBridge(relay, workspace, { hello: false });
    await silent.next("challenge");
    expect((await relay.probe(workspace)).keys).toEqual([]);
    silent.end();
    await until("nothing is stored", async () => {
      return (await relay.probe(workspace)).keys.length === 0;
    });
    expect(await relay.peer(workspace, newToken("edit").token).close()).toMatchObject({
      code: 4404,
    });
    expect(relay.isOnDisk(workspace)).toBe(false);
  });
});

describe.concurrent("a hello", () => {
  async function refused(workspace: string, dialling: Dialling): Promise<number> {
    return (await new TestBridge(relay, workspace, dialling).socket.close()).code;
  }

  test("R5 the first one claims, and is on disk; another key is refused", async () => {
    const workspace = newWorkspace();
    const owner = await TestBridge.up(relay, workspace);
    expect((await relay.probe(workspace)).keys).toContain("claim");
    expect(await refused(workspace, {})).toBe(4401);
    expect(await refused(workspace, { change: { publicKey: owner.identity.publicKey } })).toBe(
      4401,
    );
    await owner.settle();
  });

  test("R5 must be signed for this room's nonce, workspace, origin, instance and epoch", async () => {
    const workspace = newWorkspace();
    const { identity } = await TestBridge.up(relay, workspace);
    const otherPort = `http://127.0.0.1:${relay.port + 1}`;
    expect(await refused(workspace, { identity, change: { workspace: newWorkspace() } })).toBe(
      4403,
    );
    expect(await refused(workspace, { identity, change: { origin: otherPort } })).toBe(4403);
    expect(await refused(workspace, { identity, change: { origin: "nonsense" } })).toBe(4403);
    // Signed for something else, and then changed.
    const other = new TestBridge(relay, newWorkspace(), { identity, hello: false });
    await other.next("challenge");
    for (const change of [{ epoch: 7 }, { instance: newInstance() }] as const) {
      const bridge = new TestBridge(relay, workspace, { identity, hello: false });
      await bridge.next("challenge");
      const signed = { ...bridge.hello(), ...change };
      bridge.send("hello", 0, signed);
      expect((await bridge.socket.close()).code).toBe(4401);
    }
    const stolen = new TestBridge(relay, workspace, { identity, hello: false });
    await stolen.next("challenge");
    const nonce = stolen.nonce;
    stolen.nonce = other.nonce;
    expect(nonce).not.toBe(other.nonce);
    stolen.sendHello();
    expect((await stolen.socket.close()).code).toBe(4401);
  });

  test("R49 a nonce serves once: a recorded hello is worth nothing on another socket", async () => {
    const workspace = newWorkspace();
    const first = await TestBridge.up(relay, workspace, { hello: true });
    const recorded = first.lastHello;
    const second = new TestBridge(relay, workspace, { hello: false });
    await second.next("challenge");
    second.send("hello", 0, recorded);
    expect((await second.socket.close()).code).toBe(4401);
    await first.settle();
  });

  test("R5 a second hello on the same socket changes nothing", async () => {
    const bridge = new TestBridge(relay, newWorkspace(), { hello: false });
    await bridge.next("challenge");
    bridge.sendHello();
    bridge.sendHello({ epoch: 2 });
    await bridge.next("caughtUp");
    // The first is accepted; the second is no frame that a link takes, or came while judging.
    const ended = await Promise.race([bridge.socket.closed, bridge.settle()]);
    expect([undefined, 4400]).toContain(ended?.code);
  });

  test("R51 of a version not spoken is closed 4426", async () => {
    expect(await refused(newWorkspace(), { change: { version: LINK_VERSION + 1 } })).toBe(4426);
  });

  test("R12 that does not fit, or is none, is closed 4400; an over-long one 1009", async () => {
    const long = new Uint8Array(12 + (128 << 10) + 1);
    long.set(encodeFrame(FrameType.hello, 0));
    new DataView(long.buffer).setUint32(8, (128 << 10) + 1);
    const cases: [string | Uint8Array, number][] = [
      ["text", 4400],
      [new Uint8Array(5), 4400],
      [new Uint8Array(0), 4400],
      [encodeFrame(FrameType.nudge, 0), 4400],
      [encodeFrame(FrameType.hello, 0, Buffer.from("{}")), 4400],
      [encodeFrame(FrameType.hello, 0, Buffer.from("no json")), 4400],
      [long, 1009],
    ];
    // One of its own: with the others beside it, these would be more strangers than it takes a second.
    await using fresh = await TestRelay.start();
    for (const [message, code] of cases) {
      const bridge = new TestBridge(fresh, newWorkspace(), { hello: false });
      await bridge.next("challenge");
      bridge.socket.raw.send(message);
      expect((await bridge.socket.close()).code).toBe(code);
    }
  });

  test("R12 that never comes is closed 4408, and the room keeps nothing", async () => {
    const bridge = new TestBridge(relay, newWorkspace(), { hello: false });
    const ended = await bridge.socket.close("no 4408 came", SLOW_MS);
    expect(ended.code).toBe(4408);
    expect((await relay.probe(bridge.workspace)).keys).toEqual([]);
  });
});

describe.concurrent("a second bridge", () => {
  test("R11 the same instance with a higher epoch replaces its link", async () => {
    const first = await TestBridge.up(relay, newWorkspace(), { epoch: 4, answers: false });
    const { identity, instance, workspace } = first;
    const second = await TestBridge.up(relay, workspace, { identity, instance, epoch: 5 });
    expect((await first.socket.close()).code).toBe(4410);
    await second.settle();
  });

  test.each([
    ["another instance", { epoch: 99 }, false],
    ["a lower epoch", { epoch: 3 }, true],
    ["the same epoch", { epoch: 4 }, true],
  ])("R50 %s is refused while the link answers", async (_name, dialling, same) => {
    const first = await TestBridge.up(relay, newWorkspace(), { epoch: 4 });
    const { identity, workspace } = first;
    const instance = same ? first.instance : newInstance();
    const second = new TestBridge(relay, workspace, { identity, instance, ...dialling });
    expect((await second.socket.close()).code).toBe(4409);
    await first.settle();
  });

  test("R50 a link that is half open is replaced after 5 s; only one of two gets it", async () => {
    const first = await TestBridge.up(relay, newWorkspace(), { answers: false });
    const { identity, workspace } = first;
    const token = (await first.grant("edit")).token;
    const peer = await first.peer(token);
    const began = Date.now();
    const second = new TestBridge(relay, workspace, { identity });
    await first.next("nudge");
    const third = new TestBridge(relay, workspace, { identity });
    await second.next("caughtUp", undefined, SLOW_MS);
    expect(Date.now() - began).toBeGreaterThan(4_500);
    expect((await third.socket.close()).code).toBe(4409);
    expect((await first.socket.close()).code).toBe(4409);
    expect(await second.nextRead("peerJoined", PeerJoined)).toMatchObject({ stream: peer.number });
    await second.settle();
  });

  test("R50 a link that ends while it is asked leaves the room to the one who waits", async () => {
    const first = await TestBridge.up(relay, newWorkspace(), { answers: false });
    const { identity, workspace } = first;
    const began = Date.now();
    const second = new TestBridge(relay, workspace, { identity });
    await first.next("nudge");
    first.end();
    await second.next("caughtUp");
    expect(Date.now() - began).toBeLessThan(4_500);
  });
});
