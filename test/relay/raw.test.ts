// The raw rendition at the room: who speaks it, what such a peer is sent, and what its acks do.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { decodeFrames, encodeFrame } from "../../protocol/frame.ts";
import { FLAG_BINARY, FrameType } from "../../protocol/frame-types.ts";
import {
  KiB,
  MAX_ATTACHED,
  MAX_PEERS_PER_GRANT,
  MiB,
  PEER_DRAINED,
  PEER_HARD_CAP,
  PEER_MESSAGES_PER_SECOND,
  PEER_MESSAGES_BURST,
  PEER_RATE,
  PEER_TOTAL_CAP,
  PROOF_REQUEST_BYTES,
  UNPROVEN_BYTES,
  RAW_SUBPROTOCOL,
  PLAIN_SUBPROTOCOL,
} from "../../protocol/limits.ts";
import { Drained, Skipped } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import {
  decodeOffset,
  encodeOutputFrame,
  decodeAcks,
  encodeAcks,
  encodeGroup,
} from "../../protocol/output.ts";
import { NOTHING_SENT, ReadProof } from "../../relay/room/read-proof.ts";
import { RateLimiter } from "../../relay/rate-limiter.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import type { TestPeer } from "../support/test-bridge.ts";
import { TestBridge } from "../support/test-bridge.ts";

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay.stop());

async function room(
  role: "edit" | "view" = "edit",
): Promise<{ bridge: TestBridge; token: string }> {
  const bridge = await TestBridge.up(relay, newWorkspace());
  return { bridge, token: (await bridge.grant(role)).token };
}

/** A raw peer that is joined to the channels 1 to `channels`, from 0 on. */
async function viewer(channels = 1): Promise<{ bridge: TestBridge; peer: TestPeer }> {
  const { bridge, token } = await room();
  const peer = await bridge.rawPeer(token);
  for (let channel = 1; channel <= channels; channel++) {
    bridge.send("channelOpen", channel, { key: `raw ${channel}`, text: false });
    bridge.send("join", channel, { peer: peer.number, attach: 1, offset: 0 });
  }
  return { bridge, peer };
}

/** Prints in pieces of 64 KiB. */
function print(bridge: TestBridge, channel: number, from: number, to: number): void {
  const size = 64 * KiB;
  for (let at = from; at < to; at += size) {
    bridge.output(channel, at, "x".repeat(Math.min(size, to - at)));
  }
}

const listFrames = (bridge: TestBridge, type: keyof typeof FrameType) =>
  bridge.frames.items.filter((frame) => frame.type === FrameType[type]);

async function nextAcks(bridge: TestBridge, peer: TestPeer): Promise<ChannelAck[] | undefined> {
  return decodeAcks((await bridge.next("acks", peer.number)).payload);
}

describe.concurrent("the subprotocol", () => {
  test("R27 whoever offers the raw rendition gets it, beside the plain one too", async () => {
    const { bridge, token } = await room();
    const path = `/parties/workspace/${bridge.workspace}`;
    const both = await bridge.rawPeer(token);
    expect([await both.socket.opened, both.raw]).toEqual([RAW_SUBPROTOCOL, true]);
    const plain = await bridge.peer(token);
    expect([await plain.socket.opened, plain.raw]).toEqual([PLAIN_SUBPROTOCOL, false]);
    const alone = relay.dial(path, [token, RAW_SUBPROTOCOL]);
    expect(await alone.opened).toBe(RAW_SUBPROTOCOL);
    const refused = relay.dial(path, [RAW_SUBPROTOCOL, "nonsense"]);
    expect(await refused.opened).toBe(RAW_SUBPROTOCOL);
    expect(await refused.close()).toMatchObject({ code: 4401 });
    await expect(relay.dial(path, ["pairpty.v2", token]).opened).rejects.toThrow("400");
  });

  test("R66 each frame of a raw channel goes out as it came, one a message", async () => {
    const { bridge, peer } = await viewer();
    const frames = [
      encodeOutputFrame(1, 0, 3, Buffer.from([0xff, 0x00, 0xc3])),
      encodeOutputFrame(1, 3, 0, Buffer.from('{"type":"pty:resized"}')),
      encodeOutputFrame(1, 3, 2, Buffer.from("ab")),
    ];
    bridge.socket.raw.send(Buffer.concat(frames));
    await bridge.reach(peer);
    expect(peer.socket.binary).toEqual(frames.map((frame) => Buffer.from(frame)));
  });
});

describe.concurrent("acks of raw peers", () => {
  const acks = encodeAcks(0, [{ channel: 1, offset: 0 }]);

  test("R28 what is no list of acks costs the socket and no one else", async () => {
    const { bridge, token } = await room();
    const tooMany = Array.from({ length: MAX_ATTACHED + 2 }, () => ({ channel: 1, offset: 0 }));
    const messages: [string, Uint8Array, number][] = [
      ["no frame", Buffer.from("bytes"), 4400],
      ["nothing", new Uint8Array(0), 4400],
      ["another frame", encodeOutputFrame(1, 0, 1, Buffer.from("x")), 4400],
      ["two frames", Buffer.concat([acks, acks]), 4400],
      ["half a frame", acks.subarray(0, acks.length - 1), 4400],
      ["no list of acks", encodeFrame(FrameType.acks, 0, new Uint8Array(7)), 4400],
      ["too many", encodeAcks(0, tooMany), 4400],
      ["an offset that is none", encodeFrame(FrameType.acks, 0, Buffer.alloc(12, 0xff)), 4400],
      ["too much", Buffer.alloc(97 * KiB), 1009],
    ];
    const other = await bridge.rawPeer(token);
    for (const [name, message, code] of messages) {
      const peer = await bridge.rawPeer(token);
      peer.socket.raw.send(message);
      const closed = await peer.socket.closed;
      expect([name, closed.code]).toEqual([name, code]);
      expect(closed.reason, name).not.toBe("");
      await bridge.next("peerLeft", peer.number);
    }
    other.socket.raw.send("still here");
    expect(await bridge.nextText(other.number)).toBe("still here");
  });

  test("R67 those watched or not joined go on in one frame, the rest stay", async () => {
    const { bridge, peer } = await viewer(3);
    bridge.send("watch", 2, { peer: peer.number, on: true });
    await bridge.settle();
    const ackList = [1, 2, 3, 77].map((channel) => ({ channel, offset: channel * 10 }));
    peer.socket.raw.send(encodeAcks(0, ackList));
    expect(await nextAcks(bridge, peer)).toEqual([
      { channel: 2, offset: 20 },
      { channel: 77, offset: 770 },
    ]);
    bridge.send("watch", 2, { peer: peer.number, on: false });
    bridge.send("watch", 3, { peer: peer.number, on: true });
    bridge.send("watch", 4, { peer: peer.number, on: true });
    bridge.send("watch", 3, { peer: 4_000_000, on: true });
    await bridge.settle();
    peer.socket.raw.send(encodeAcks(0, ackList.slice(0, 2)));
    peer.socket.raw.send(encodeAcks(0, ackList.slice(0, 3)));
    expect(await nextAcks(bridge, peer)).toEqual([{ channel: 3, offset: 30 }]);
    // A new join starts unwatched.
    bridge.send("join", 3, { peer: peer.number, attach: 2, offset: 0 });
    await bridge.settle();
    peer.socket.raw.send(encodeAcks(0, ackList.slice(0, 3)));
    peer.socket.raw.send("behind it");
    await bridge.next("peerMessage", peer.number);
    expect(listFrames(bridge, "acks")).toEqual([]);
  });

  test("R32 R74 a raw peer that never acked is skipped at the cap, and an ack gives it room", async () => {
    const { bridge, peer } = await viewer();
    print(bridge, 1, 0, PEER_HARD_CAP);
    await bridge.reach(peer);
    peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: 64 * KiB }]));
    peer.socket.raw.send("behind it");
    await bridge.next("peerMessage", peer.number);
    const end = PEER_HARD_CAP + 64 * KiB;
    print(bridge, 1, PEER_HARD_CAP, end + 1);
    expect(await bridge.nextRead("skipped", Skipped, 1)).toMatchObject({ attach: 1, sent: end });
    await bridge.reach(peer);
    expect(peer.socket.binary).toHaveLength(17);
  });

  test("R68 a lie about what was rendered gives no room", async () => {
    const { bridge, peer } = await viewer();
    peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: 100 * MiB }]));
    peer.socket.raw.send("behind it");
    await bridge.next("peerMessage", peer.number);
    print(bridge, 1, 0, PEER_HARD_CAP + 1);
    expect(await bridge.nextRead("skipped", Skipped, 1)).toMatchObject({ sent: PEER_HARD_CAP });
  });

  test("R32 many terminals at once share one cap", async () => {
    const count = 12;
    const { bridge, peer } = await viewer(count);
    for (let channel = 1; channel <= count; channel++) print(bridge, channel, 0, PEER_HARD_CAP);
    await bridge.settle();
    await bridge.reach(peer);
    const outputs = peer.socket.binary.filter(([type]) => type === FrameType.output);
    const got = outputs.reduce((sum, frame) => sum + frame.length - 24, 0);
    expect(got).toBe(PEER_TOTAL_CAP);
    expect(listFrames(bridge, "skipped")).toHaveLength(count - PEER_TOTAL_CAP / PEER_HARD_CAP);
  });
});

describe.concurrent("drained", () => {
  test("R29 is told once, when all but 64 KiB are rendered; a join begins anew", async () => {
    const { bridge, peer } = await viewer();
    print(bridge, 1, 0, PEER_HARD_CAP + 1);
    await bridge.next("skipped", 1);
    const ack = (offset: number) => peer.socket.raw.send(encodeAcks(0, [{ channel: 1, offset }]));
    ack(PEER_HARD_CAP - PEER_DRAINED - 1);
    peer.socket.raw.send("not yet");
    await bridge.next("peerMessage", peer.number);
    expect(listFrames(bridge, "drained")).toEqual([]);
    ack(PEER_HARD_CAP - PEER_DRAINED);
    const drained = await bridge.nextRead("drained", Drained, 1);
    expect(drained).toMatchObject({ peer: peer.number, attach: 1 });
    ack(PEER_HARD_CAP);
    ack(PEER_HARD_CAP);
    peer.socket.raw.send("said enough");
    await bridge.next("peerMessage", peer.number);
    expect(listFrames(bridge, "drained")).toEqual([]);
    bridge.send("join", 1, { peer: peer.number, attach: 2, offset: 2 * MiB });
    print(bridge, 1, 2 * MiB, 3 * MiB + 1);
    expect(await bridge.nextRead("skipped", Skipped, 1)).toMatchObject({ attach: 2 });
    ack(3 * MiB);
    expect(await bridge.nextRead("drained", Drained, 1)).toMatchObject({ attach: 2 });
  });

  test("R29 it is the same for acks that the bridge read in JSON", async () => {
    const { bridge, token } = await room();
    const peer = await bridge.peer(token);
    const acked = (attach: number, offset: number) =>
      bridge.send("acked", 1, { peer: peer.number, attach, offset });
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 7, offset: 0 });
    print(bridge, 1, 0, MiB);
    // What it was sent before its first ack is not held against it.
    acked(7, 0);
    print(bridge, 1, MiB, 2 * MiB + 1);
    expect(await bridge.nextRead("skipped", Skipped, 1)).toMatchObject({ sent: 2 * MiB });
    acked(6, 2 * MiB);
    acked(7, MiB);
    await bridge.settle();
    expect(listFrames(bridge, "drained")).toEqual([]);
    acked(7, 2 * MiB);
    expect(await bridge.nextRead("drained", Drained, 1)).toMatchObject({ attach: 7 });
  });

  test("R69 one who never acks and would get bytes twice is drained at once", async () => {
    const { bridge, token } = await room();
    const peer = await bridge.peer(token);
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 3, offset: 0 });
    print(bridge, 1, 0, MiB);
    bridge.output(1, MiB - 1, "xy");
    await bridge.next("skipped", 1);
    expect(await bridge.nextRead("drained", Drained, 1)).toMatchObject({ attach: 3 });
  });
});

/** Two of one channel, of which the second answers whatever it is asked, and acks. */
async function readers(raw: boolean) {
  const { bridge, token } = await room("view");
  bridge.send("channelOpen", 1, { key: "a", text: !raw });
  const come = () => (raw ? bridge.rawPeer(token) : bridge.peer(token));
  const [liar, reader] = [await come(), await come()];
  for (const { number } of [liar, reader]) {
    bridge.send("join", 1, { peer: number, attach: 1, offset: 0 });
  }
  const socket = reader.socket.raw;
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!isBinary) {
      const n = /"pairpty:ping","n":(\d+)/.exec(data.subarray(0, 100).toString())?.[1];
      if (n !== undefined) socket.send(pong(Number(n)));
      return;
    }
    const [frame] = decodeFrames(data).frames;
    if (frame?.type === FrameType.proof) {
      socket.send(encodeAcks(0, [{ channel: 0, offset: decodeOffset(frame.payload) ?? 0 }]));
    } else socket.send(encodeAcks(0, [{ channel: 1, offset: Number.MAX_SAFE_INTEGER }]));
  });
  return { bridge, liar, reader };
}

const pong = (n: number) => JSON.stringify({ type: "pairpty:pong", n });

describe.concurrent("whether a peer reads", () => {
  test.each([true, false])(
    "R30 R71 one that does not is closed with 1013 at 16 MiB, whatever it says and acks (raw: %s)",
    async (raw) => {
      const { bridge, liar, reader } = await readers(raw);
      liar.socket.raw.pause();
      for (let at = MiB; at <= UNPROVEN_BYTES; at += MiB) {
        print(bridge, 1, at - MiB, at);
        await bridge.settle();
        if (raw) liar.socket.raw.send(encodeAcks(0, [{ channel: 1, offset: at }]));
        else bridge.send("acked", 1, { peer: liar.number, attach: 1, offset: at });
        liar.socket.raw.send(pong(at));
        await bridge.next("peerMessage", liar.number);
        // It has answered what it was asked before this.
        await bridge.reach(reader);
        reader.socket.raw.send("read");
        await bridge.next("peerMessage", reader.number);
      }
      bridge.output(1, UNPROVEN_BYTES, "x");
      await bridge.next("peerLeft", liar.number);
      liar.socket.raw.resume();
      const closed = await liar.socket.closed;
      expect(closed).toMatchObject({ code: 1013 });
      expect(closed.reason).toContain("pairpty:ping");
      print(bridge, 1, UNPROVEN_BYTES + 1, UNPROVEN_BYTES + MiB);
      await bridge.reach(reader);
    },
  );

  test("R73 in the plain rendition any word of one who may type is enough", async () => {
    const { bridge, token } = await room();
    const peer = await bridge.peer(token);
    bridge.send("channelOpen", 1, { key: "a", text: true });
    bridge.send("join", 1, { peer: peer.number, attach: 1, offset: 0 });
    for (let at = MiB; at <= UNPROVEN_BYTES + 2 * MiB; at += MiB) {
      print(bridge, 1, at - MiB, at);
      await bridge.settle();
      peer.socket.raw.send("a key");
      await bridge.next("peerMessage", peer.number);
    }
    await bridge.reach(peer);
  });

  test("R30 R76 what is sent to it alone counts too; one that was closed unread keeps its place until it is gone", async () => {
    const { bridge, token } = await room();
    const liar = await bridge.peer(token);
    liar.socket.raw.pause();
    const body = Buffer.alloc(100 * KiB, "x");
    for (let sent = 0; sent <= UNPROVEN_BYTES; sent += body.length) {
      bridge.send("peerSend", liar.number, body);
    }
    await bridge.next("peerLeft", liar.number);
    for (let count = 1; count < MAX_PEERS_PER_GRANT; count++) await bridge.peer(token);
    expect(await relay.peer(bridge.workspace, token).closed).toMatchObject({ code: 4429 });
    liar.socket.raw.resume();
    expect(await liar.socket.closed).toMatchObject({ code: 1013 });
    await bridge.peer(token);
  });

  test("R70 R71 an answer is proof of what was sent before its question, once; a guess of nothing", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: MiB }), { maxLength: 100 });
    fc.assert(
      fc.property(sizes, fc.array(fc.nat()), (pieces, guesses) => {
        const proof = new ReadProof(NOTHING_SENT, () => 0.5);
        let sent = 0;
        let isOver = false;
        for (const bytes of pieces) {
          sent += bytes;
          isOver = proof.recordSent(bytes) === "over" || isOver;
          for (const guess of guesses) expect(proof.accept(guess)).toBe(false);
        }
        expect(isOver).toBe(sent > UNPROVEN_BYTES);
        expect(proof.awaited !== undefined).toBe(sent >= PROOF_REQUEST_BYTES);
      }),
    );
    let last = 0;
    const proof = new ReadProof(NOTHING_SENT, () => ++last);
    for (let turn = 1; turn <= 20; turn++) {
      expect(proof.recordSent(PROOF_REQUEST_BYTES)).toBe("ask");
      expect(proof.recordSent(MiB)).toBe("write");
      expect(proof.accept(turn)).toBe(true);
      expect(proof.accept(turn)).toBe(false);
      // As it goes on after a sleep.
      expect(new ReadProof(proof.state).state).toEqual({ unproven: MiB, asked: undefined });
    }
  });
});

describe.concurrent("how much a peer says", () => {
  test("R79 a peer that says too much is closed with 1008, and no one else", async () => {
    const { bridge, token } = await room();
    const [loud, other] = [await bridge.peer(token), await bridge.peer(token)];
    for (let n = 0; n < 2 * PEER_MESSAGES_BURST; n++) loud.socket.raw.send("a word");
    const closed = await loud.socket.closed;
    expect(closed).toMatchObject({ code: 1008 });
    expect(closed.reason).toContain("messages a second");
    await bridge.next("peerLeft", loud.number);
    other.socket.raw.send("still here");
    expect(await bridge.nextText(other.number)).toBe("still here");
  });

  test("R36 a bucket holds 2,000 words and gets 100 a second, and one for each output", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.nat(5000), outputs: fc.nat(50), words: fc.nat(3000) })),
        (turns) => {
          const rate = new RateLimiter(PEER_RATE, 0);
          let now = 0;
          let outputs = 0;
          let taken = 0;
          for (const turn of turns) {
            now += turn.wait;
            for (let n = 0; n < turn.outputs; n++) rate.refund();
            outputs += turn.outputs;
            for (let n = 0; n < turn.words; n++) if (rate.tryTake(now)) taken++;
          }
          expect(taken).toBeLessThanOrEqual(
            PEER_MESSAGES_BURST + outputs + Math.ceil((now * PEER_MESSAGES_PER_SECOND) / 1000),
          );
        },
      ),
    );
    // Whoever acks each output at once is never told off.
    const rate = new RateLimiter(PEER_RATE, 0);
    for (let n = 0; n < 10 * PEER_MESSAGES_BURST; n++) {
      rate.refund();
      expect(rate.tryTake(0)).toBe(true);
    }
  });
});

describe.concurrent("groups", () => {
  test("R31 one message goes to each of them that is here", async () => {
    const { bridge, token } = await room();
    const peers = [await bridge.peer(token), await bridge.rawPeer(token)];
    const [gone, other] = [await bridge.peer(token), await bridge.peer(token)];
    gone.socket.end();
    await bridge.next("peerLeft", gone.number);
    const numbers = [...peers, gone].map(({ number }) => number);
    const group = encodeGroup([...numbers, 4_000_000], Buffer.from("ä group"));
    bridge.send("groupSend", 0, group);
    bridge.send("groupSend", 0, group, FLAG_BINARY);
    for (const peer of [...peers, other]) await bridge.reach(peer);
    for (const { socket } of peers) {
      expect(socket.texts).toContain("ä group");
      expect(socket.binary).toEqual([Buffer.from("ä group")]);
    }
    expect(other.socket.texts).not.toContain("ä group");
    expect(other.socket.binary).toEqual([]);
  });

  test("R31 bytes go to the peer named; for everyone, to those who can read them", async () => {
    const { bridge, token } = await room();
    const [raw, plain] = [await bridge.rawPeer(token), await bridge.peer(token)];
    const bytes = Buffer.from([0, 0xff]);
    bridge.send("peerSend", raw.number, bytes, FLAG_BINARY);
    bridge.send("peerSend", 0, Buffer.from("all"), FLAG_BINARY);
    for (const peer of [raw, plain]) await bridge.reach(peer);
    expect(raw.socket.binary).toEqual([bytes, Buffer.from("all")]);
    expect(plain.socket.binary).toEqual([]);
  });
});
