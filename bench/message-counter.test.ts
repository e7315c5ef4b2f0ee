// The messages that are counted are those that were sent, however the bytes are cut on their way.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MessageCounter } from "./message-counter.ts";

const HEAD = Buffer.from("GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n");
const [TEXT, BINARY, PONG] = [0x1, 0x2, 0xa];

function frame(opcode: number, body: Buffer, mask: number): Buffer {
  const { length } = body;
  const extended = length < 126 ? 0 : length < 0x1_0000 ? 2 : 8;
  const header = Buffer.alloc(2 + extended + 4, mask);
  header[0] = 0x80 | opcode;
  header[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) header.writeUInt16BE(length, 2);
  if (extended === 8) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, body.map((byte) => byte ^ mask)]);
}

const message = fc.record({
  opcode: fc.constantFrom(TEXT, BINARY, PONG),
  length: fc.oneof(fc.nat(300), fc.constantFrom(4, 125, 126, 65_535, 65_536, 100_000)),
  isPing: fc.boolean(),
  mask: fc.nat(255),
});

test("B1 messages are counted however their bytes are cut; pings and control frames are not", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 8 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 70_000 })),
      (messages, cuts) => {
        const frames = messages.map(({ opcode, length, isPing, mask }) =>
          isPing
            ? frame(TEXT, Buffer.from("ping"), mask)
            : frame(opcode, Buffer.alloc(length, "x"), mask),
        );
        const billed = messages.filter(({ opcode, isPing }) => !isPing && opcode !== PONG);
        const bytes = Buffer.concat([HEAD, ...frames]);
        const counter = new MessageCounter();
        for (let at = 0; at < bytes.length;) {
          const size = cuts.next().value ?? 1;
          counter.take(bytes.subarray(at, at + size));
          at += size;
        }
        expect(counter.messages).toBe(billed.length);
        expect(counter.bytes).toBe(bytes.length);
      },
    ),
    { numRuns: 200 },
  );
});
