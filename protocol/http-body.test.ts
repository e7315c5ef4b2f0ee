// The credit of a body in any order of sending, receiving, taking and granting.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BodyReceiver, BodySender, ReceiveCredit, SendCredit } from "./http-body.ts";
import { KiB, STREAM_WINDOW } from "./limits.ts";

/** Both counters, with a queue in each direction that holds messages until they are delivered. */
class Wire {
  readonly sender = new SendCredit();
  readonly receiver = new ReceiveCredit();
  readonly data: number[] = [];
  readonly credits: number[] = [];
  sent = 0;
  received = 0;
  taken = 0;

  send(bytes: number): void {
    const length = Math.min(bytes, this.sender.left);
    this.sender.spend(length);
    this.sent += length;
    this.data.push(length);
  }

  arrive(): void {
    const length = this.data.shift() ?? 0;
    expect(this.receiver.receive(length)).toBe(true);
    this.received += length;
  }

  take(bytes: number): void {
    const length = Math.min(bytes, this.received - this.taken);
    this.taken += length;
    const limit = this.receiver.take(length);
    if (limit !== undefined) this.credits.push(limit);
  }

  deliver(): void {
    this.sender.raise(this.credits.shift() ?? 0);
  }
}

const step = fc.oneof(
  fc.record({ is: fc.constant("send" as const), bytes: fc.nat(100 * KiB) }),
  fc.record({ is: fc.constant("take" as const), bytes: fc.nat(100 * KiB) }),
  fc.record({ is: fc.constantFrom("arrive" as const, "deliver" as const), bytes: fc.constant(0) }),
);

test("R25 in any order, no more than a window is untaken and no sender breaks its credit", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const wire = new Wire();
      for (const { is, bytes } of steps) {
        wire[is](bytes);
        expect(wire.sent - wire.taken).toBeLessThanOrEqual(STREAM_WINDOW);
        expect(wire.sender.left).toBeGreaterThanOrEqual(0);
      }
      // In any case, once everything is delivered and taken the sender may continue.
      while (wire.data.length > 0) wire.arrive();
      wire.take(Number.MAX_SAFE_INTEGER);
      while (wire.credits.length > 0) wire.deliver();
      expect(wire.sender.left).toBeGreaterThan(STREAM_WINDOW / 2);
    }),
  );
});

test("R25 R63 a byte without credit is refused, and not counted", () => {
  const credit = new ReceiveCredit();
  expect(credit.receive(STREAM_WINDOW)).toBe(true);
  expect(credit.receive(1)).toBe(false);
  expect(credit.take(STREAM_WINDOW)).toBe(2 * STREAM_WINDOW);
  expect(credit.receive(STREAM_WINDOW)).toBe(true);
  expect(credit.receive(1)).toBe(false);
});

test("R25 a credit that comes late or twice takes nothing back", () => {
  const credit = new SendCredit();
  credit.raise(2 * STREAM_WINDOW);
  credit.raise(STREAM_WINDOW);
  credit.raise(0);
  credit.spend(STREAM_WINDOW);
  expect(credit.left).toBe(STREAM_WINDOW);
});

/** A source of the given pieces, each in its own turn. */
function createReader(pieces: readonly Uint8Array[]) {
  let at = 0;
  return {
    async read() {
      if (at % 3 === 1) await turn();
      const value = pieces[at++];
      return value === undefined ? { done: true } : { done: false, value };
    },
    cancel: () => Promise.resolve(),
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test("R25 a body arrives as it was, whatever its pieces, its reader's pace and the wire's", async () => {
  const sizes = fc.array(fc.nat(200 * KiB), { maxLength: 12 });
  const lags = fc.infiniteStream(fc.nat(3));
  await fc.assert(
    fc.asyncProperty(sizes, lags, lags, fc.nat(255), async (pieces, wire, pace, seed) => {
      const body = pieces.map((size, index) => new Uint8Array(size).fill(seed + index));
      const lag = () => (wire.next().value === 0 ? turn() : Promise.resolve());
      let isDrained = false;
      const receiver = new BodyReceiver({
        grantCredit: (limit) => void lag().then(() => sender.raise(limit)),
        onDone: (how) => {
          isDrained = how === "drained";
        },
      });
      let delivery = Promise.resolve();
      const sender = new BodySender((piece) => {
        delivery = delivery.then(lag).then(() => expect(receiver.receive(piece)).toBe(true));
      });
      const sending = async () => {
        expect(await sender.pump(createReader(body))).toBe(true);
        await delivery;
        receiver.end();
      };
      const sent = sending();
      const stream = new ReadableStream<Uint8Array>(receiver.source, { highWaterMark: 0 });
      const parts: Uint8Array[] = [];
      const reader = stream.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        parts.push(read.value);
        if (pace.next().value === 0) await turn();
      }
      await sent;
      expect(Buffer.concat(parts).equals(Buffer.concat(body))).toBe(true);
      expect(isDrained).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("R25 a sender without credit waits, and a stop ends the wait and its source", async () => {
  let isLeft = false;
  const sent: number[] = [];
  const sender = new BodySender((piece) => void sent.push(piece.length));
  const pumped = sender.pump({
    read: () => Promise.resolve({ done: false, value: new Uint8Array(100 * KiB) }),
    cancel: () => {
      isLeft = true;
      return Promise.reject(new Error("a source that minds"));
    },
  });
  while (sent.reduce((sum, length) => sum + length, 0) < STREAM_WINDOW) await turn();
  await turn();
  expect(sent.reduce((sum, length) => sum + length, 0)).toBe(STREAM_WINDOW);
  sender.stop();
  expect(await pumped).toBe(false);
  expect(isLeft).toBe(true);
});

test("R64 a body that fails says so to its reader, and swallows what comes late", async () => {
  const receiver = new BodyReceiver({
    grantCredit: () => undefined,
    onDone: () => {
      throw new Error("told of an end that was none");
    },
  });
  const stream = new ReadableStream<Uint8Array>(receiver.source, { highWaterMark: 0 });
  const reader = stream.getReader();
  expect(receiver.receive(new Uint8Array(3))).toBe(true);
  expect((await reader.read()).value).toHaveLength(3);
  receiver.fail(new Error("cut"));
  await expect(reader.read()).rejects.toThrow("cut");
  expect(receiver.receive(new Uint8Array(2 * STREAM_WINDOW))).toBe(true);
  receiver.end();
  expect(receiver.failure?.message).toBe("cut");
  expect(receiver.takeWhole()).toBeUndefined();
});
