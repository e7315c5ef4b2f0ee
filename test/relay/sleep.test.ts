// Rooms that really sleep: workerd evicts a room with hibernatable sockets after some 10 s without
// events. That it slept is proven each time by the boot id of the room's object.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FLAG_CONTINUED, FrameType, FLAG_MORE } from "../../protocol/frame-types.ts";
import { KiB, MAX_FRAME_PAYLOAD, PEER_HARD_CAP } from "../../protocol/limits.ts";
import { ChannelState, Drained, PeerJoined, Skipped } from "../../protocol/link.ts";
import { encodeOutputFrame, decodeAcks, encodeAcks } from "../../protocol/output.ts";
import { ACK_STEP } from "../../relay/room/delivery.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { until } from "../support/waiting.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

/** There is no event for a room falling asleep. */
const SLEEP_MS = 13_000;

const asleep = () => new Promise((resolve) => setTimeout(resolve, SLEEP_MS));

async function room() {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { workspace } = bridge;
  const { token } = await bridge.grant("edit");
  const [first, second] = [await bridge.peer(token), await bridge.peer(token)];
  bridge.send("channelOpen", 1, { key: "text", text: true });
  bridge.send("channelOpen", 2, { key: "raw", text: false });
  for (const channel of [1, 2]) {
    bridge.send("join", channel, { peer: first.number, attach: 4, offset: 0 });
  }
  bridge.send("join", 1, { peer: second.number, attach: 1, offset: 0 });
  bridge.output(1, 0, "before");
  await second.socket.text((text) => text === "before");
  await bridge.settle();
  const { boot } = await relay.probe(workspace);
  const slept = async () => expect((await relay.probe(workspace)).boot).not.toBe(boot);
  return { bridge, workspace, token, first, second, boot, slept };
}

/** A raw peer that acks nothing by itself. */
async function stalled() {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { token } = await bridge.grant("view");
  const peer = await bridge.rawPeer(token);
  bridge.send("channelOpen", 1, { key: "raw", text: false });
  bridge.send("join", 1, { peer: peer.number, attach: 1, offset: 0 });
  return { bridge, peer };
}

/** All rooms sleep at the same time: each test begins before the first one, and waits for its own. */
const beginnings: (() => void)[] = [];
beforeAll(() => {
  for (const begin of beginnings) begin();
});

function meanwhile(body: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  beginnings.push(() => {
    running = body();
    // Whoever waits for it is told.
    running.catch(() => undefined);
  });
  return () => running ?? Promise.reject(new Error("it has not begun"));
}

describe("a room that slept", () => {
  test(
    "R18 sends output on to everyone who was attached",
    meanwhile(async () => {
      const { bridge, first, second, slept } = await room();
      await asleep();
      bridge.output(1, 6, "after");
      bridge.output(2, 0, "raw");
      await first.socket.text((text) => text === "after");
      await second.socket.text((text) => text === "after");
      await slept();
      await until("one raw message came", () => first.socket.binary.length === 1);
      expect(second.socket.binary).toEqual([]);
      // Old subscriptions and numbers still count.
      bridge.send("leave", 1, { peer: second.number });
      bridge.send("join", 1, { peer: first.number, attach: 4, offset: 0 });
      bridge.output(1, 11, "more");
      await first.socket.text((text) => text === "more");
      await bridge.settle();
      expect(second.socket.texts).not.toContain("more");
    }),
  );

  test(
    "R18 knows who sends, who leaves, and gives new peers new numbers",
    meanwhile(async () => {
      const { bridge, token, first, second, slept } = await room();
      await asleep();
      second.socket.end();
      await bridge.next("peerLeft", second.number);
      await slept();
      first.socket.raw.send("awake");
      await bridge.next("peerMessage", first.number);
      const third = await bridge.peer(token);
      expect([first.number, second.number]).not.toContain(third.number);
    }),
  );

  test(
    "R18 answers keepalives in its sleep",
    meanwhile(async () => {
      const { bridge, workspace, first, boot } = await room();
      await asleep();
      first.socket.raw.send("ping");
      bridge.socket.raw.send("ping");
      await until("both were answered", () => first.socket.pongs + bridge.socket.pongs === 4);
      // Had a ping woken it, the probe would have met the object of that wake; it meets a third.
      expect((await relay.probe(workspace)).boot).not.toBe(boot);
      await bridge.settle();
    }),
  );

  test(
    "AC52 knows an agent's socket for what it is, and cuts its messages as before",
    meanwhile(async () => {
      const { bridge, workspace, slept } = await room();
      const { token } = await bridge.grant("agent");
      const headers = { authorization: `Bearer ${token}` };
      const socket = relay.dial(`/w/${workspace}/acp`, [], headers);
      const { stream } = await bridge.nextRead("peerJoined", PeerJoined);
      await asleep();
      bridge.send("peerSend", 0, Buffer.from("<news>"));
      await slept();
      socket.raw.send("x".repeat(MAX_FRAME_PAYLOAD + 1));
      expect(await bridge.next("peerMessage", stream)).toMatchObject({ flags: FLAG_MORE });
      expect(await bridge.next("peerMessage", stream)).toMatchObject({ flags: FLAG_CONTINUED });
      await bridge.reach({ socket, number: stream });
      expect(socket.texts).toEqual([]);
      bridge.end();
      expect(await socket.close()).toMatchObject({ code: 1013 });
    }),
  );

  test(
    "R18 tells its peers when the link is lost, and HTTP since when",
    meanwhile(async () => {
      const { bridge, workspace, token, first, slept } = await room();
      await asleep();
      bridge.end();
      const since: unknown = JSON.parse(await first.socket.bridge("away")).since;
      await slept();
      const answer = await relay.ask(`/w/${workspace}/x`, { token });
      expect(JSON.parse(answer.text)).toMatchObject({ code: "bridge_away", since });
    }),
  );

  test(
    "R60 knows what was received though it slept with its link, and slept again",
    meanwhile(async () => {
      const { bridge, workspace, first, boot, slept } = await room();
      await asleep();
      bridge.output(2, 0, "raw");
      await until("one raw message came", () => first.socket.binary.length === 1);
      await slept();
      const { boot: later } = await relay.probe(workspace);
      await asleep();
      // It wakes with the link's end, or with the next one's hello: no output tells it where it was.
      const { identity, instance } = bridge;
      const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
      expect([boot, later]).not.toContain((await relay.probe(workspace)).boot);
      const text = await next.nextRead("channelState", ChannelState, 1);
      expect(text).toMatchObject({ key: "text", received: 6 });
      const raw = await next.nextRead("channelState", ChannelState, 2);
      expect(raw).toMatchObject({ key: "raw", received: 3 });
      const joined = await next.nextRead("peerJoined", PeerJoined, first.number);
      expect(joined.subscriptions.map(({ skipped }) => skipped)).toEqual([false, false]);
      // What they have is not sent again, even by a bridge that is too eager.
      next.output(1, 0, "before");
      next.output(1, 6, "after");
      await first.socket.text((message) => message === "after");
      expect(first.socket.texts.filter((message) => message === "before")).toHaveLength(1);
    }),
  );

  test(
    "R60 knows exactly what was received when the link had ended before it slept",
    meanwhile(async () => {
      const { bridge, workspace, first, boot } = await room();
      bridge.output(2, 0, "12345");
      await bridge.settle();
      bridge.end();
      await first.socket.bridge("away");
      await asleep();
      const { identity, instance } = bridge;
      const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
      expect((await relay.probe(workspace)).boot).not.toBe(boot);
      expect(await next.nextRead("channelState", ChannelState, 1)).toMatchObject({ received: 6 });
      expect(await next.nextRead("channelState", ChannelState, 2)).toMatchObject({ received: 5 });
      const joined = await next.nextRead("peerJoined", PeerJoined, first.number);
      expect(joined.subscriptions.map(({ skipped }) => skipped)).toEqual([false, false]);
      // What the peer has is not sent again, even by a bridge that is too eager.
      next.output(1, 0, "before");
      next.output(1, 6, "after");
      await first.socket.text((text) => text === "after");
      expect(first.socket.texts.filter((text) => text === "before")).toHaveLength(1);
    }),
  );

  test(
    "R18 has all its channels, also those beyond what an attachment holds",
    meanwhile(async () => {
      const bridge = await TestBridge.up(relay, newWorkspace());
      const { token } = await bridge.grant("view");
      const peer = await bridge.peer(token);
      const count = 400;
      for (let channel = 1; channel <= count; channel++) {
        bridge.send("channelOpen", channel, { key: `${"k".repeat(90)}${channel}`, text: true });
      }
      bridge.send("join", count, { peer: peer.number, attach: 1, offset: 0 });
      await bridge.settle();
      const { boot, keys } = await relay.probe(bridge.workspace);
      expect(keys).toContain("channels");
      await asleep();
      bridge.output(count, 0, "the last one");
      await peer.socket.text((text) => text === "the last one");
      expect((await relay.probe(bridge.workspace)).boot).not.toBe(boot);
      const { workspace, identity, instance } = bridge;
      const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
      const last = await next.nextRead("channelState", ChannelState, count);
      expect(last).toMatchObject({ key: `${"k".repeat(90)}${count}`, received: 12 });
    }),
  );

  test(
    "R20 remembers who was skipped and who acks",
    meanwhile(async () => {
      const { bridge, workspace, first, second, boot } = await room();
      const size = 64 * KiB;
      const piece = "x".repeat(size);
      const pieces = PEER_HARD_CAP / size;
      const got = (person: typeof first) =>
        person.socket.texts.filter((text) => text.length === size).length;
      for (const [person, attach] of [
        [first, 4],
        [second, 1],
      ] as const) {
        bridge.send("acked", 1, { peer: person.number, attach, offset: 6 });
      }
      for (let index = 0; index < pieces + 1; index++) {
        if (index === 1)
          bridge.send("acked", 1, { peer: second.number, attach: 1, offset: 6 + size });
        bridge.output(1, 6 + index * size, piece);
      }
      await bridge.next("skipped", 1);
      await bridge.settle();
      await asleep();
      const slack = ACK_STEP / size;
      for (let index = pieces + 1; index < 2 * pieces + 3; index++) {
        bridge.output(1, 6 + index * size, piece);
      }
      const { peer } = await bridge.nextRead("skipped", Skipped, 1);
      expect(peer).toBe(second.number);
      await bridge.settle();
      expect((await relay.probe(workspace)).boot).not.toBe(boot);
      // It was behind by the whole cap. What it may have acked meanwhile is conceded, once.
      const all = pieces + 1 + slack;
      await until("everything came", () => got(first) >= pieces && got(second) >= all);
      expect([got(first), got(second)]).toEqual([pieces, all]);
    }),
  );

  test(
    "R35 with five browsers and a bridge it slept, and goes on where it was",
    meanwhile(async () => {
      const bridge = await TestBridge.up(relay, newWorkspace());
      const { token } = await bridge.grant("edit");
      const peers = [];
      for (let count = 0; count < 5; count++) peers.push(await bridge.rawPeer(token));
      const [first] = peers;
      bridge.send("channelOpen", 1, { key: "raw", text: false });
      for (const { number } of peers)
        bridge.send("join", 1, { peer: number, attach: 1, offset: 0 });
      bridge.output(1, 0, "before");
      for (const peer of peers) {
        await bridge.reach(peer);
        peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: 6 }]));
      }
      await bridge.settle();
      expect(bridge.frames.items.filter(({ type }) => type === FrameType.acks)).toEqual([]);
      const { boot } = await relay.probe(bridge.workspace);
      await asleep();
      const after = encodeOutputFrame(1, 6, 5, Buffer.from("after"));
      bridge.socket.raw.send(after);
      for (const peer of peers) {
        await bridge.reach(peer);
        expect(peer.socket.binary.slice(1)).toEqual([Buffer.from(after)]);
      }
      expect((await relay.probe(bridge.workspace)).boot).not.toBe(boot);
      // Whom the bridge watched is forgotten: it hears everybody, until it says so again.
      for (const { socket, number } of peers) {
        const acks = [{ channel: 1, offset: 11 }];
        socket.raw.send(encodeAcks(0, acks));
        expect(decodeAcks((await bridge.next("acks", number)).payload)).toEqual(acks);
        bridge.send("watch", 1, { peer: number, on: false });
      }
      await bridge.settle();
      first?.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: 11 }]));
      first?.socket.raw.send("behind it");
      await bridge.next("peerMessage", first?.number);
      expect(bridge.frames.items.filter(({ type }) => type === FrameType.acks)).toEqual([]);
    }),
  );

  test(
    "R29 knows who was skipped, and tells when it has drained",
    meanwhile(async () => {
      const { bridge, peer } = await stalled();
      const size = 64 * KiB;
      const piece = "x".repeat(size);
      for (let at = 0; at <= PEER_HARD_CAP; at += size) bridge.output(1, at, piece);
      await bridge.next("skipped", 1);
      await bridge.settle();
      const { boot } = await relay.probe(bridge.workspace);
      await asleep();
      peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: PEER_HARD_CAP - size - 1 }]));
      bridge.output(1, PEER_HARD_CAP + size, piece);
      await bridge.reach(peer);
      expect(peer.socket.binary).toHaveLength(PEER_HARD_CAP / size);
      expect(bridge.frames.items.filter(({ type }) => type === FrameType.drained)).toEqual([]);
      peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: PEER_HARD_CAP }]));
      expect(await bridge.nextRead("drained", Drained, 1)).toMatchObject({ attach: 1 });
      expect((await relay.probe(bridge.workspace)).boot).not.toBe(boot);
    }),
  );

  test(
    "R32 lets a stalled raw peer have no second window for a short sleep",
    meanwhile(async () => {
      const { bridge } = await stalled();
      const size = 64 * KiB;
      const pieces = PEER_HARD_CAP / size;
      const piece = "x".repeat(size);
      for (let at = 0; at < pieces - 1; at++) bridge.output(1, at * size, piece);
      await bridge.settle();
      const { boot } = await relay.probe(bridge.workspace);
      await asleep();
      for (let at = pieces - 1; at < 2 * pieces; at++) bridge.output(1, at * size, piece);
      const skipped = await bridge.nextRead("skipped", Skipped, 1);
      expect(skipped).toMatchObject({ sent: PEER_HARD_CAP + ACK_STEP });
      expect((await relay.probe(bridge.workspace)).boot).not.toBe(boot);
    }),
  );

  test(
    "R10 lets go of an expired grant's sockets all the same",
    meanwhile(async () => {
      const { bridge, workspace, boot } = await room();
      const expiresAt = Date.now() + SLEEP_MS;
      const { token } = await bridge.grant("view", expiresAt);
      const { socket, number } = await bridge.peer(token);
      const closed = await socket.close("the grant did not expire");
      expect(closed.code).toBe(4401);
      await bridge.next("peerLeft", number);
      expect((await relay.probe(workspace)).boot).not.toBe(boot);
    }),
  );
});
