// Sealed output from a host's channel to a page's, through a relay that moves, repeats and drops it.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ChannelSealer } from "../../bridge/sealed/channel-sealer.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { ACK_REQUESTED, decodeOutput } from "../../protocol/output.ts";
import { ChannelKey } from "../../protocol/sealed/messages.ts";
import type { OutputPlace } from "../../protocol/sealed/output-record.ts";
import { SEALED_OUTPUT, SEALED_OUTPUT_OVERHEAD } from "../../protocol/sealed/output-record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { flipBit } from "../../test/support/sealed-pair.ts";
import { ChannelOpener } from "./channel-opener.ts";

const CHANNEL = 7;

interface SentFrame extends OutputPlace {
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Returns the body of a frame that the room passes on as any other. */
function sealedBody(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const [frame = expect.fail()] = decodeFrames(bytes).frames;
  expect([frame.type, frame.flags & SEALED_OUTPUT]).toEqual([FrameType.output, SEALED_OUTPUT]);
  return new Uint8Array(decodeOutput(frame.payload)?.body ?? []);
}

/** A channel whose frames are sealed at the next offset; an event has no span. */
function channel() {
  const sealer = new ChannelSealer(CHANNEL);
  let offset = 0;
  const send = (text: string, isEvent = false): SentFrame => {
    const span = isEvent ? 0 : text.length;
    const body = sealedBody(sealer.sealFrame(offset, span, toBytes(text), ACK_REQUESTED));
    const frame = { channel: CHANNEL, offset, span, body };
    offset += span;
    return frame;
  };
  return { sealer, send };
}

function openerFrom(key: ChannelKey): ChannelOpener {
  const opener = new ChannelOpener();
  opener.setKey(key);
  return opener;
}

/** Returns the text of an opened frame, or why there is none. */
async function open(opener: ChannelOpener, { body, ...place }: SentFrame): Promise<string> {
  const opened = await opener.finish(opener.start(place, body));
  switch (opened.is) {
    case "opened":
      return toText(opened.body);
    case "refused":
      return opened.fault.code;
    default:
      return opened.is;
  }
}

test("SE12 a page opens a channel's output and events from the key that it got", async () => {
  const { sealer, send } = channel();
  send("before the page came");
  send('{"type":"pty:resized"}', true);
  const key = sealer.current();
  expect(ChannelKey.safeParse(key).success).toBe(true);
  const opener = openerFrom(key);
  const frame = send("ls");
  expect(frame.body).toHaveLength("ls".length + SEALED_OUTPUT_OVERHEAD);
  expect(await open(opener, frame)).toBe("ls");
  expect(await open(opener, send("{}", true))).toBe("{}");
  expect(await open(opener, send("pwd"))).toBe("pwd");
});

test("SE12 output on another channel, at another offset or with another span does not open", async () => {
  const { sealer, send } = channel();
  const key = sealer.current();
  const frame = send("secret");
  const moves = fc.record(
    {
      channel: fc.nat().filter((channelNumber) => channelNumber !== CHANNEL),
      offset: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      span: fc.nat().filter((span) => span !== frame.span),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(moves, async (moved) => {
      const expected = Object.keys(moved).length === 0 ? "secret" : "not_authentic";
      expect(await open(openerFrom(key), { ...frame, ...moved })).toBe(expected);
    }),
  );
});

test("SE13 of any order of frames the page opens those whose counters rise, and forged ones change nothing", async () => {
  const { sealer, send } = channel();
  const key = sealer.current();
  const frames = Array.from({ length: 6 }, (_none, index) => send(`output ${index}`));
  const steps = fc.array(fc.record({ index: fc.nat(5), bit: fc.option(fc.nat(2_000)) }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const opener = openerFrom(key);
      let next = 0;
      for (const { index, bit } of order) {
        const frame = frames[index] ?? expect.fail();
        const body = new Uint8Array(frame.body);
        if (bit !== null) flipBit(body, bit);
        // oxlint-disable-next-line no-await-in-loop
        const result = await open(opener, { ...frame, body });
        if (bit !== null) {
          expect(["not_authentic", "unknown key", "malformed"]).toContain(result);
        } else if (index < next) {
          expect(result).toBe("out_of_order");
        } else {
          expect(result).toBe(`output ${index}`);
          next = index + 1;
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("SE13 cut output is refused", async () => {
  const { sealer, send } = channel();
  const opener = openerFrom(sealer.current());
  const frame = send("output");
  for (const length of [0, 11, 31, frame.body.length - 1])
    // oxlint-disable-next-line no-await-in-loop
    expect(["malformed", "not_authentic"]).toContain(
      await open(opener, { ...frame, body: frame.body.slice(0, length) }),
    );
  expect(await open(opener, frame)).toBe("output");
});

test("SE14 whichever events a relay drops, the next frame shows it", async () => {
  const kinds = fc.array(fc.record({ isEvent: fc.boolean(), isDropped: fc.boolean() }), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(kinds, async (sent) => {
      const { sealer, send } = channel();
      const opener = openerFrom(sealer.current());
      let isMissing = false;
      for (const [index, { isEvent, isDropped }] of sent.entries()) {
        const frame = send(`frame ${index}`, isEvent);
        if (isEvent && isDropped) {
          isMissing = true;
          continue;
        }
        // oxlint-disable-next-line no-await-in-loop
        expect(await open(opener, frame)).toBe(isMissing ? "gap" : `frame ${index}`);
      }
    }),
    { numRuns: 40 },
  );
});

test("SE15 after a new key the page refuses output under the one before, and opens what follows", async () => {
  const { sealer, send } = channel();
  const opener = openerFrom(sealer.current());
  const before = send("before");
  const late = send("late");
  expect(await open(opener, before)).toBe("before");
  const revoked = openerFrom(sealer.current());
  opener.setKey(sealer.rekey());
  const after = send("after");
  expect(await open(opener, late)).toBe("out_of_order");
  expect(await open(opener, after)).toBe("after");
  expect(await open(revoked, after)).toBe("unknown key");
});

test("SE15 a viewer without the new key cannot open it under the old one, whatever the frame claims", async () => {
  const { sealer, send } = channel();
  const old = sealer.current();
  const next = sealer.rekey();
  const after = send("after");
  expect(await open(openerFrom({ ...old, n: next.n }), after)).toBe("not_authentic");
});

test("SE15 output that arrives with its key still on the way opens in its turn", async () => {
  const { sealer, send } = channel();
  const opener = openerFrom(sealer.current());
  const key = sealer.rekey();
  const { body, ...place } = send("after");
  const started = opener.start(place, body);
  opener.setKey(key);
  expect(await opener.finish(started)).toMatchObject({ is: "opened" });
});

test("SE15 a bridge that took over has key numbers of its own: its output waits for its key", async () => {
  const [before, next] = [channel(), channel()];
  const opener = openerFrom(before.sealer.current());
  const frame = next.send("after a takeover");
  expect(await open(opener, frame)).toBe("unknown key");
  opener.dropKeys();
  expect(await open(opener, frame)).toBe("unknown key");
  opener.setKey({ ...next.sealer.current(), counter: 0 });
  expect(await open(opener, frame)).toBe("after a takeover");
});

test("SE16 no key seals twice with one nonce, in any order of output, events and new keys", () => {
  const acts = fc.array(fc.constantFrom("output", "event", "again", "rekey"), { maxLength: 60 });
  fc.assert(
    fc.property(acts, (order) => {
      const sealer = new ChannelSealer(CHANNEL);
      const keys = new Set<string>([sealer.current().key]);
      const used = new Set<string>();
      let sealed = 0;
      for (const act of order) {
        if (act === "rekey") {
          keys.add(sealer.rekey().key);
          continue;
        }
        // The same bytes at the same offset, as after a cut.
        const body = sealedBody(sealer.sealFrame(0, act === "event" ? 0 : 4, toBytes("same")));
        used.add(`${sealer.current().key} ${Buffer.from(body.subarray(0, 12)).toString("hex")}`);
        sealed++;
      }
      expect(used.size).toBe(sealed);
      expect(keys.size).toBe(1 + order.filter((act) => act === "rekey").length);
    }),
  );
});
