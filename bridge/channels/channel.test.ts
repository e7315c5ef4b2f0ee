// The channel between a modelled pty host, with the rules of reader and ring, and a modelled room
// that stores what it receives. Cuts, marks and prints come in any order.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ACK_BYTES,
  DRIVER_WINDOW,
  MIN_DRIVER_WINDOW,
  HISTORY_BYTES,
  UPLINK_WINDOW,
} from "../../protocol/limits.ts";
import { toBytes } from "../../protocol/text.ts";
import type { TerminalSource } from "./channel.ts";
import { Channel } from "./channel.ts";
import { createRendition } from "./rendition.ts";

class World {
  readonly stream: number[] = [];
  readonly room: string[] = [];
  received = 0;
  #cursor = 0;
  #credit = 0;
  #reading = false;
  #up = true;
  broken = false;
  exits = 0;
  /** Offset from which the host retains everything for the channel. */
  kept: number | undefined;
  mostUnderWay = 0;
  readonly channel: Channel;

  constructor() {
    const feed: TerminalSource = {
      read: (from, credit) => {
        this.#reading = true;
        this.kept = from;
        this.#cursor = from;
        this.#credit = credit;
      },
      credit: (offset) => {
        this.#credit = offset;
      },
      park: (from) => {
        this.#reading = false;
        this.kept = from;
      },
      unread: () => {
        this.#reading = false;
        this.kept = undefined;
      },
    };
    const uplink = {
      output: (offset: number, span: number, body: Uint8Array) => {
        if (!this.#up) return;
        expect(offset).toBe(this.received);
        this.received += span;
        this.room.push(Buffer.from(body).toString());
      },
    };
    const words = { output: (text: string) => text, exit: () => "" };
    this.channel = new Channel(0, feed, uplink, createRendition("json", words), {
      onBroken: () => {
        this.broken = true;
      },
      onFinished: () => {
        this.exits++;
      },
    });
    this.channel.resume(0);
  }

  print(bytes: Uint8Array): void {
    for (const byte of bytes) this.stream.push(byte);
  }

  /** Lets the host send a piece within its credit. */
  deliver(most: number): void {
    if (!this.#reading) return;
    const end = Math.min(this.stream.length, this.#credit, this.#cursor + most);
    if (end <= this.#cursor) return;
    const body = Uint8Array.from(this.stream.slice(this.#cursor, end));
    const offset = this.#cursor;
    this.#cursor = end;
    this.channel.onOutput({ offset, span: body.length, body });
    this.mostUnderWay = Math.max(this.mostUnderWay, this.channel.unconfirmed);
  }

  mark(): void {
    this.channel.onReceived(this.received);
  }

  /** Cuts the link: later frames are lost, and the bridge notices later. */
  cut(): void {
    this.#up = false;
  }

  mend(): void {
    this.channel.suspend();
    this.#up = true;
    this.channel.resume(this.received);
  }

  drain(): void {
    this.mend();
    for (let i = 0; i < 1000 && this.received < this.stream.length; i++) {
      this.deliver(50_000);
      this.mark();
    }
  }
}

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .string({ unit: "grapheme", maxLength: 12 })
      // A printed replacement character would prove nothing.
      .filter((text) => !text.includes("\ufffd"))
      .map((text) => ({ print: toBytes(text) })),
  },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 9 }).map((deliver) => ({ deliver })) },
  { weight: 2, arbitrary: fc.constant({ mark: true }) },
  { weight: 1, arbitrary: fc.constant({ cut: true }) },
  { weight: 1, arbitrary: fc.constant({ mend: true }) },
);

test("L3 D3 cuts at any moment lose and double no byte, and no character is split", () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const world = new World();
      for (const step of actions) {
        if ("print" in step) world.print(step.print);
        if ("deliver" in step) world.deliver(step.deliver);
        if ("mark" in step) world.mark();
        if ("cut" in step) world.cut();
        if ("mend" in step) world.mend();
      }
      world.drain();
      const whole = Buffer.from(world.stream).toString();
      expect(world.room.join("")).toBe(whole);
      for (const message of world.room) expect(message).not.toContain("\ufffd");
    }),
  );
});

test("L4 no more than the window is under way without a mark", () => {
  const world = new World();
  world.print(new Uint8Array(2 * UPLINK_WINDOW).fill(97));
  for (let i = 0; i < 20; i++) world.deliver(HISTORY_BYTES);
  expect(world.mostUnderWay).toBe(UPLINK_WINDOW);
  world.mark();
  world.deliver(HISTORY_BYTES);
  expect(world.received).toBeGreaterThan(UPLINK_WINDOW);
});

test("L9 while the link is down, the host keeps what the room may lack; then the exit follows it", () => {
  const world = new World();
  world.print(toBytes("with the room, on its way, "));
  world.deliver(13);
  world.mark();
  world.cut();
  world.deliver(14);
  world.channel.suspend();
  expect(world.kept).toBe(13);
  world.print(toBytes("not sent"));
  world.channel.onExited({ exitCode: 0, signal: null }, 35);
  expect([world.kept, world.exits]).toEqual([13, 0]);
  world.drain();
  expect(world.room.join("")).toBe("with the room, on its way, not sent");
  expect([world.kept, world.exits]).toEqual([undefined, 1]);
});

test("L9 a channel that the room has lost is kept for no longer", () => {
  const world = new World();
  world.print(toBytes("hello"));
  world.channel.suspend();
  world.channel.close();
  expect(world.kept).toBeUndefined();
});

test("D8 the exit goes behind the last byte, and an unfinished character is not lost", () => {
  const world = new World();
  world.print(Uint8Array.of(97, 0xe2, 0x82));
  world.channel.onExited({ exitCode: 0, signal: null }, 3);
  expect(world.exits).toBe(0);
  world.deliver(9);
  expect(world.exits).toBe(1);
  expect(world.room).toEqual(["a", "\ufffd", ""]);
});

test("D2 a gap breaks the channel once, and nothing is sent behind it", () => {
  const world = new World();
  world.channel.onGap({ from: 0, to: 10 });
  world.print(toBytes("hello, world"));
  world.deliver(99);
  expect(world.broken).toBe(true);
  expect(world.room).toEqual([]);
});

test("V10 a driver that acks every 128 KiB and at no other time is never waited for in vain", () => {
  const world = new World();
  // 128 KiB cut a character: the part that is held back is not rendered.
  const text = "\u20ac".repeat(DRIVER_WINDOW);
  world.print(toBytes(text));
  let acked = 0;
  world.channel.pace(acked);
  for (let i = 0; i < 100; i++) {
    world.deliver(HISTORY_BYTES);
    world.mark();
    if (world.received - acked < ACK_BYTES) continue;
    acked = world.received;
    world.channel.pace(acked);
  }
  expect(world.received).toBe(world.stream.length);
});

test("L7 L13 a driver that renders paces the program; one that does not is not waited for", () => {
  const world = new World();
  const most = 3 * DRIVER_WINDOW;
  world.print(new Uint8Array(most).fill(97));
  const flow = () => {
    for (let i = 0; i < 200; i++) {
      world.deliver(HISTORY_BYTES);
      world.mark();
    }
  };
  world.channel.pace(0);
  flow();
  const ahead = world.received;
  expect(ahead).toBeLessThanOrEqual(DRIVER_WINDOW);
  expect(ahead).toBeGreaterThanOrEqual(MIN_DRIVER_WINDOW);
  world.channel.pace(1_000);
  flow();
  expect(world.received).toBeGreaterThanOrEqual(1_000 + MIN_DRIVER_WINDOW);
  expect(world.received).toBeLessThanOrEqual(1_000 + DRIVER_WINDOW);
  world.channel.stopPacing();
  flow();
  expect(world.received).toBe(most);
  // Everything is rendered: silence is no reason to stop.
  world.channel.pace(most);
  world.channel.stopPacing();
  world.print(new Uint8Array(2 * DRIVER_WINDOW).fill(97));
  flow();
  expect(world.received).toBeLessThanOrEqual(most + DRIVER_WINDOW);
});

const NO_FEED: TerminalSource = {
  read: () => {},
  credit: () => {},
  park: () => {},
  unread: () => {},
};
const NO_EVENTS = { onBroken: () => {}, onFinished: () => {} };
const NO_WORDS = { output: (text: string) => text, exit: () => "" };

test("V3 the memory of a frame that goes on as it came is kept until it is written", () => {
  let kept = 0;
  const release = () => void (kept -= 1);
  const lease = { keep: () => void (kept += 1), release };
  const written: (() => void)[] = [];
  const uplink = {
    output: () => expect.unreachable("sent as a copy"),
    forward: (_frame: Uint8Array, _isMarked: boolean, done = () => {}) => void written.push(done),
  };
  const channel = new Channel(0, NO_FEED, uplink, createRendition("raw", NO_WORDS), NO_EVENTS);
  channel.resume(0);
  const body = toBytes("abc");
  channel.onOutput({ offset: 0, span: 3, body, frame: body, lease });
  channel.onOutput({ offset: 3, span: 3, body, frame: body, lease });
  expect(kept).toBe(2);
  for (const done of written) done();
  expect(kept).toBe(0);
});

test("D3 a character that two frames share is whole, though the first frame's memory is used again", () => {
  const sent: string[] = [];
  const uplink = {
    output: (_offset: number, _span: number, body: Uint8Array) =>
      void sent.push(Buffer.from(body).toString()),
  };
  const channel = new Channel(0, NO_FEED, uplink, createRendition("json", NO_WORDS), NO_EVENTS);
  channel.resume(0);
  const bytes = toBytes("a€");
  const lent = bytes.slice(0, 3);
  channel.onOutput({ offset: 0, span: 3, body: lent });
  lent.fill(0);
  channel.onOutput({ offset: 3, span: 1, body: bytes.subarray(3) });
  expect(sent.join("")).toBe("a€");
});
