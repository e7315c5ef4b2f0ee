// Output: who gets it and from where on, marks, skips, and what a new link is told.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  KiB,
  RECEIPT_EVERY_BYTES,
  RECEIPT_EVERY_FRAMES,
  MAX_ATTACHED,
  PEER_HARD_CAP,
} from "../../protocol/limits.ts";
import { ChannelState, PeerJoined, Skipped } from "../../protocol/link.ts";
import { decodeOffset, encodeOutputFrame, ACK_REQUESTED } from "../../protocol/output.ts";
import { newIdentity, newInstance, newWorkspace } from "../support/credentials.ts";
import { read } from "../support/frames.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";
import type { TestSocket } from "../support/test-socket.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

interface Person {
  readonly socket: TestSocket;
  readonly number: number;
}

async function findRoom(people: number): Promise<{ bridge: TestBridge; peers: Person[] }> {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { token } = await bridge.grant("view");
  const peers = [];
  for (let count = 0; count < people; count++) peers.push(await bridge.peer(token));
  for (const { socket } of peers) await socket.bridge("here");
  return { bridge, peers };
}

/** A room with three people, of whom a test uses as many as it needs. */
async function roomOfThree(): Promise<{ bridge: TestBridge; peers: [Person, Person, Person] }> {
  const bridge = await TestBridge.up(relay, newWorkspace());
  const { token } = await bridge.grant("view");
  const peers: [Person, Person, Person] = [
    await bridge.peer(token),
    await bridge.peer(token),
    await bridge.peer(token),
  ];
  for (const { socket } of peers) await socket.bridge("here");
  return { bridge, peers };
}

/** Everything the peer has got, once the bridge's last frame has come through to it. */
async function getTexts(bridge: TestBridge, peer: Person): Promise<string[]> {
  bridge.send("peerSend", peer.number, Buffer.from("<end>"));
  await peer.socket.text((text) => text === "<end>");
  return [...peer.socket.texts];
}

describe.concurrent("fan-out", () => {
  test("R19 output goes to those joined, in order, each from where it joined", async () => {
    const { bridge, peers } = await roomOfThree();
    const [early, late, other] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: early.number, attach: 1, offset: 0 });
    bridge.output(1, 0, "one");
    bridge.output(1, 3, "two");
    bridge.send("join", 1, { peer: late.number, attach: 1, offset: 9 });
    bridge.output(1, 6, "hex");
    bridge.output(1, 9, "€");
    bridge.send("leave", 1, { peer: early.number });
    bridge.output(1, 12, "end");
    expect(await getTexts(bridge, early)).toEqual(["one", "two", "hex", "€"]);
    expect(await getTexts(bridge, late)).toEqual(["€", "end"]);
    expect(await getTexts(bridge, other)).toEqual([]);
  });

  test("R19 what a peer has is not sent twice; a piece that overlaps skips it instead", async () => {
    const { bridge, peers } = await roomOfThree();
    const [peer] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 1, offset: 10 });
    bridge.output(1, 10, "abc");
    bridge.output(1, 10, "abc");
    bridge.output(1, 12, "cd");
    expect(await bridge.nextRead("skipped", Skipped, 1)).toMatchObject({ attach: 1, sent: 13 });
    expect(await getTexts(bridge, peer)).toEqual(["abc"]);
  });

  test("R19 R66 events without bytes keep their place; a raw channel passes frames as they are", async () => {
    const { bridge, peers } = await roomOfThree();
    const [peer] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("channelOpen", 2, { key: "b", text: false });
    for (const channel of [1, 2]) {
      bridge.send("join", channel, { peer: peer.number, attach: 1, offset: 0 });
    }
    bridge.output(1, 0, "x");
    bridge.socket.raw.send(encodeOutputFrame(1, 1, 0, Buffer.from("{exit}")));
    const bytes = Buffer.from([0xff, 0x00, 0xc3]);
    const frame = encodeOutputFrame(2, 0, bytes.length, bytes);
    bridge.socket.raw.send(frame);
    expect(await getTexts(bridge, peer)).toEqual(["x", "{exit}"]);
    expect(peer.socket.binary).toEqual([Buffer.from(frame)]);
  });

  test("R19 older attach numbers are ignored; a newer one starts anew", async () => {
    const { bridge, peers } = await roomOfThree();
    const [peer] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 5, offset: 0 });
    bridge.send("join", 1, { peer: peer.number, attach: 4, offset: 100 });
    bridge.output(1, 0, "kept");
    bridge.send("join", 1, { peer: peer.number, attach: 6, offset: 8 });
    bridge.output(1, 4, "lost");
    bridge.output(1, 8, "more");
    expect(await getTexts(bridge, peer)).toEqual(["kept", "more"]);
    bridge.send("channelClose", 1);
    bridge.send("channelOpen", 1, { key: "b", text: true });
    bridge.output(1, 12, "gone");
    expect(await getTexts(bridge, peer)).toEqual(["kept", "more"]);
  });

  test("R19 several frames in one message are handled like as many messages", async () => {
    const { bridge, peers } = await roomOfThree();
    const [peer] = peers;
    const frames = [
      encodeFrame(FrameType.channelOpen, 1, Buffer.from('{"key":"a","text":true}')),
      encodeFrame(
        FrameType.join,
        1,
        Buffer.from(JSON.stringify({ peer: peer.number, attach: 1, offset: 0 })),
      ),
      encodeOutputFrame(1, 0, 1, Buffer.from("1")),
      encodeOutputFrame(1, 1, 1, Buffer.from("2")),
    ];
    bridge.socket.raw.send(Buffer.concat(frames));
    expect(await getTexts(bridge, peer)).toEqual(["1", "2"]);
  });

  test("R19 a peer with more terminals than it may have is closed, alone", async () => {
    const { bridge, peers } = await roomOfThree();
    const [greedy, modest] = peers;
    for (let channel = 1; channel <= MAX_ATTACHED + 1; channel++) {
      bridge.send("channelOpen", channel, { key: `terminal ${channel}`, text: true });
      bridge.send("join", channel, { peer: greedy.number, attach: channel, offset: 0 });
    }
    expect(await greedy.socket.close()).toMatchObject({ code: 4400 });
    bridge.send("join", 1, { peer: modest.number, attach: 1, offset: 0 });
    bridge.output(1, 0, "fine");
    expect(await getTexts(bridge, modest)).toEqual(["fine"]);
  });

  test("R19 the fan-out decodes no attachment, however many peers there are", async () => {
    const { bridge, peers } = await findRoom(20);
    bridge.send("channelOpen", 1, { key: "a", text: true });
    for (const { number } of peers) {
      bridge.send("join", 1, { peer: number, attach: 1, offset: 0 });
    }
    await bridge.settle();
    const before = await relay.probe(bridge.workspace);
    for (let at = 0; at < 200; at++) bridge.output(1, at, "x");
    for (const peer of peers) expect(await getTexts(bridge, peer)).toHaveLength(200);
    const after = await relay.probe(bridge.workspace);
    expect(after.boot).toBe(before.boot);
    // Other tests connect people meanwhile, each of which costs one or two; this would cost 4,000.
    expect(after.decoded - before.decoded).toBeLessThan(200);
  });
});

describe.concurrent("marks", () => {
  test("R33 receipt is told every 16 frames", async () => {
    const { bridge } = await findRoom(0);
    bridge.send("channelOpen", 1, { key: "a", text: false });
    const listMarks = () => bridge.frames.items.filter(({ type }) => type === FrameType.received);
    const print = (from: number, to: number) => {
      for (let at = from; at < to; at++) bridge.output(1, at, "x");
    };
    print(0, RECEIPT_EVERY_FRAMES);
    expect(decodeOffset((await bridge.next("received", 1)).payload)).toBe(RECEIPT_EVERY_FRAMES);
    print(RECEIPT_EVERY_FRAMES, 2 * RECEIPT_EVERY_FRAMES - 1);
    bridge.send("peerSend", 0, Buffer.from("nothing for the channel"));
    print(2 * RECEIPT_EVERY_FRAMES - 1, 2 * RECEIPT_EVERY_FRAMES);
    expect(decodeOffset((await bridge.next("received", 1)).payload)).toBe(2 * RECEIPT_EVERY_FRAMES);
    expect(listMarks()).toEqual([]);
  });

  test("R33 receipt is told every 96 KiB, when asked, and exactly on a nudge", async () => {
    const { bridge } = await findRoom(0);
    bridge.send("channelOpen", 1, { key: "a", text: false });
    bridge.send("channelOpen", 2, { key: "b", text: false });
    bridge.output(1, 100, "x".repeat(RECEIPT_EVERY_BYTES - 1));
    bridge.output(2, 7, "y");
    bridge.output(1, 100 + RECEIPT_EVERY_BYTES - 1, "x");
    const mark = await bridge.next("received", 1);
    expect(decodeOffset(mark.payload)).toBe(100 + RECEIPT_EVERY_BYTES);
    await bridge.settle();
    const [only, ...more] = bridge.frames.items.filter(({ type }) => type === FrameType.received);
    expect(only?.stream).toBe(2);
    expect(decodeOffset(only?.payload ?? new Uint8Array())).toBe(8);
    expect(more).toEqual([]);
    await bridge.settle();
    expect(bridge.frames.items.filter(({ type }) => type === FrameType.received)).toHaveLength(1);
    bridge.output(2, 8, "z", ACK_REQUESTED);
    expect(decodeOffset((await bridge.next("received", 2)).payload)).toBe(8);
    expect(decodeOffset((await bridge.next("received", 2)).payload)).toBe(9);
  });
});

test("R75 a word of a peer is heard beside a flood, within a few windows of it", async () => {
  const { bridge, peers } = await findRoom(30);
  const [talker] = peers;
  bridge.send("channelOpen", 1, { key: "a", text: false });
  for (const { number } of peers) bridge.send("join", 1, { peer: number, attach: 1, offset: 0 });
  const window = 2 * RECEIPT_EVERY_FRAMES;
  const size = 1 * KiB;
  const piece = "x".repeat(size);
  let [sent, marked, delivered] = [0, 0, 0];
  /** Frames that were sent between a word and its arrival, at most. */
  let most = 0;
  let saidAt = -1;
  const flood = () => {
    for (; sent - marked < window; sent++) bridge.output(1, sent * size, piece);
    // Some way into the flood, so that the room is busy.
    if (saidAt >= 0 || sent < (delivered + 1) * 5 * window) return;
    saidAt = sent;
    talker?.socket.raw.send("a word");
  };
  await new Promise<void>((resolve) => {
    bridge.socket.raw.on("message", (data: Buffer) => {
      for (const { type, payload } of decodeFrames(data).frames) {
        if (type === FrameType.received) marked = (decodeOffset(payload) ?? 0) / size;
        if (type !== FrameType.peerMessage) continue;
        most = Math.max(most, sent - saidAt);
        saidAt = -1;
        delivered++;
      }
      if (delivered === 4) resolve();
      else flood();
    });
    flood();
  });
  expect(most).toBeLessThanOrEqual(4 * window);
});

describe.concurrent("skips", () => {
  test("R20 a peer that acks and falls 1 MiB behind is skipped once; the others go on", async () => {
    const { bridge, peers } = await roomOfThree();
    const [slow, quick, plain] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    for (const { number } of peers) {
      bridge.send("join", 1, { peer: number, attach: 3, offset: 0 });
    }
    const size = 64 * KiB;
    const piece = "x".repeat(size);
    const count = PEER_HARD_CAP / size + 8;
    bridge.send("acked", 1, { peer: slow.number, attach: 3, offset: 0 });
    for (let index = 0; index < count; index++) {
      bridge.send("acked", 1, { peer: quick.number, attach: 3, offset: index * size });
      bridge.output(1, index * size, piece);
    }
    const skipped = await bridge.nextRead("skipped", Skipped, 1);
    expect(skipped).toMatchObject({ peer: slow.number, attach: 3, sent: PEER_HARD_CAP });
    expect(await getTexts(bridge, slow)).toHaveLength(PEER_HARD_CAP / size);
    expect(await getTexts(bridge, quick)).toHaveLength(count);
    // One that has never acked is not judged: the bridge has other means for it.
    expect(await getTexts(bridge, plain)).toHaveLength(count);
    expect(bridge.frames.items.filter(({ type }) => type === FrameType.skipped)).toEqual([]);
    bridge.send("join", 1, { peer: slow.number, attach: 4, offset: count * size });
    bridge.output(1, count * size, "again");
    expect((await getTexts(bridge, slow)).at(-1)).toBe("again");
  });
});

describe.concurrent("a new link", () => {
  test("R21 is told every channel, every peer with its subscriptions, then caughtUp", async () => {
    const { bridge, peers } = await roomOfThree();
    const [first, second, third] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("channelOpen", 9, { key: "b", text: true });
    bridge.send("channelOpen", 5, { key: "closed", text: true });
    bridge.send("channelClose", 5);
    bridge.send("join", 1, { peer: first.number, attach: 2, offset: 40 });
    bridge.send("join", 9, { peer: first.number, attach: 3, offset: 500 });
    bridge.output(1, 40, "12345");
    await bridge.settle();
    bridge.end();
    await first.socket.bridge("away");
    const { workspace, identity, instance } = bridge;
    const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
    const listMarks = next.frames.items.filter(({ type }) => type !== FrameType.challenge);
    const names = Object.entries(FrameType);
    expect(listMarks.map(({ type }) => names.find(([, number]) => number === type)?.[0])).toEqual([
      "accepted",
      "channelState",
      "channelState",
      "peerJoined",
      "peerJoined",
      "peerJoined",
    ]);
    const states = listMarks.filter(({ type }) => type === FrameType.channelState);
    expect(states.map((frame) => [frame.stream, read(ChannelState, frame)])).toEqual([
      [1, { key: "a", received: 45 }],
      [9, { key: "b", received: 500 }],
    ]);
    const joined = listMarks.filter(({ type }) => type === FrameType.peerJoined);
    expect(joined.map((frame) => [frame.stream, read(PeerJoined, frame).subscriptions])).toEqual([
      [
        first.number,
        [
          { channel: 1, attach: 2, skipped: false },
          { channel: 9, attach: 3, skipped: false },
        ],
      ],
      [second.number, []],
      [third.number, []],
    ]);
    next.output(1, 45, "678");
    expect(await getTexts(next, first)).toContain("678");
  });

  test("R21 that replaces another finds everything as it stood", async () => {
    const { bridge, peers } = await roomOfThree();
    const [peer] = peers;
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 1, offset: 0 });
    bridge.output(1, 0, "123");
    await bridge.settle();
    const { workspace, identity, instance } = bridge;
    const next = await TestBridge.up(relay, workspace, { identity, instance, epoch: 2 });
    bridge.output(1, 3, "of the past");
    expect(await next.nextRead("channelState", ChannelState)).toMatchObject({ received: 3 });
    next.output(1, 3, "456");
    expect(await getTexts(next, peer)).toContain("456");
    expect(await getTexts(next, peer)).not.toContain("of the past");
  });
});

test("R52 a frame of a type that the room does not know is ignored", async () => {
  const { bridge, peers } = await roomOfThree();
  const frames = [
    encodeFrame(0xee, 7, Buffer.from("from a newer bridge")),
    encodeFrame(FrameType.peerSend, peers[0].number, Buffer.from("and what follows it counts")),
  ];
  bridge.socket.raw.send(Buffer.concat(frames));
  await peers[0].socket.text((text) => text === "and what follows it counts");
  await bridge.settle();
});

test("R12 what is no frame of a bridge's ends the link, and the room lives on", async () => {
  const join = Buffer.from('{"peer":1,"attach":1,"offset":0}');
  const tooLong = new Uint8Array(12 + 16);
  tooLong.set(encodeFrame(FrameType.output, 1));
  new DataView(tooLong.buffer).setUint32(8, 129 << 10);
  const messages: [string, string | Uint8Array, number][] = [
    ["text", "text", 4400],
    ["half a header", new Uint8Array(7), 4400],
    ["reserved bytes", new Uint8Array(12).fill(1), 4400],
    ["a frame that is cut short", encodeFrame(FrameType.grants, 0, join).subarray(0, 20), 4400],
    ["a frame of the room's own", encodeFrame(FrameType.accepted, 0), 4400],
    ["JSON that does not fit", encodeFrame(FrameType.grants, 0, join), 4400],
    ["a join to no channel", encodeFrame(FrameType.join, 77, join), 4400],
    ["output for no channel", encodeOutputFrame(77, 0, 1, Buffer.from("x")), 4400],
    ["a group that names nobody", encodeFrame(FrameType.groupSend, 0, new Uint8Array(3)), 4400],
    ["a watch of nobody", encodeFrame(FrameType.watch, 1, Buffer.from("{}")), 4400],
    ["output without an offset", encodeFrame(FrameType.output, 1, new Uint8Array(5)), 4400],
    ["a frame that is too long", tooLong, 1009],
    ["a message that is too long", new Uint8Array((1 << 20) + 1), 1009],
  ];
  const known = { identity: newIdentity(), instance: newInstance(), knock: "5e".repeat(32) };
  let bridge = await TestBridge.up(relay, newWorkspace(), known);
  const { workspace } = bridge;
  const { token } = await bridge.grant("view");
  const { socket } = await bridge.peer(token);
  for (const [index, [name, message, code]] of messages.entries()) {
    await socket.bridge("here");
    bridge.socket.raw.send(message);
    expect([name, (await bridge.socket.close()).code]).toEqual([name, code]);
    await socket.bridge("away");
    bridge = await TestBridge.up(relay, workspace, { ...known, epoch: 2 + index });
  }
  await socket.bridge("here");
  await bridge.settle();
});
