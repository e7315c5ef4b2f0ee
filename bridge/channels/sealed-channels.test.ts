// Sealed channels of a table between a modelled pool and a link that keeps every frame.

import { expect, test } from "vitest";
import { decodeFrames } from "../../protocol/frame.ts";
import type { ChannelOpen } from "../../protocol/link.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { decodeOutput } from "../../protocol/output.ts";
import { decodeSealedOutput } from "../../protocol/sealed/output-record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { createLog } from "../log.ts";
import { ChannelSealer } from "../sealed/channel-sealer.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { ChannelTable } from "./channel-table.ts";

function world(createSealer = (channel: number) => new ChannelSealer(channel)) {
  const terminal = poolTerminal({ id: "pty-1" });
  const frames: Uint8Array[] = [];
  const opened: ChannelOpen[] = [];
  const link = {
    send: (type: number, _stream: number, payload?: Uint8Array) => {
      if (type === FrameType.channelOpen) opened.push(JSON.parse(toText(payload ?? toBytes(""))));
    },
    sendBytes: (frame: Uint8Array) => void frames.push(frame),
  };
  const words = () => ({ output: (text: string) => text, exit: () => "" });
  const log = createLog("silent", () => {});
  const table = new ChannelTable(new OneTerminal(terminal), link, words, log, {
    forwardsFrames: true,
    createSealer,
  });
  /** Key number and counter of each frame so far. */
  const nonces = () =>
    frames.map((bytes) => {
      const output = decodeOutput(decodeFrames(bytes).frames[0]?.payload ?? toBytes(""));
      const sealed = output && decodeSealedOutput(new Uint8Array(output.body));
      return [sealed?.keyNumber, sealed?.counter] as const;
    });
  return { terminal, table, frames, opened, nonces };
}

test("SE33 the room learns neither terminal nor rendition of a sealed channel", () => {
  const { terminal, table, opened } = world();
  const { name } = table.open(terminal, "sealed", 0);
  table.open(terminal, "sealed-panel", 0);
  table.open(terminal, "raw", 0);
  expect(opened.map(({ text }) => text)).toEqual([false, false, false]);
  expect(opened.map(({ key }) => key.includes("pty-1"))).toEqual([false, false, true]);
  expect(table.findSubject(name)?.rendition).toBe("sealed");
  // By its name alone: what a room could guess leads nowhere.
  expect(table.findSubject(`pty-1:${terminal.epoch}:sealed`)).toBeUndefined();
});

test("SE36 a key changes for a holder's right that ends, whether or not the holder is still here", () => {
  const { terminal, table, nonces } = world();
  const open = table.open(terminal, "sealed", 0);
  const rekeyed: number[] = [];
  table.onRekeyed(({ number }) => void rekeyed.push(number));
  open.sealing?.giveKey("aaaaaaaaaa");
  open.channel.event("one");
  table.rekeyFor("bbbbbbbbbb");
  open.channel.event("two");
  table.rekeyFor("aaaaaaaaaa");
  open.channel.event("three");
  // The new key was given to no one.
  table.rekeyFor("aaaaaaaaaa");
  table.rekey(terminal);
  open.channel.event("four");
  expect(rekeyed).toEqual([open.number, open.number]);
  const [first, second, third, fourth] = nonces();
  expect([second?.[0], third?.[1], fourth?.[1]]).toEqual([first?.[0], 0, 0]);
  expect(new Set([first?.[0], third?.[0], fourth?.[0]]).size).toBe(3);
});

test("SE11 a channel's key that has sealed all it may is replaced before the next frame", () => {
  class Tired extends ChannelSealer {
    isTired = false;
    override get isExhausted(): boolean {
      return this.isTired;
    }
    override rekey() {
      this.isTired = false;
      return super.rekey();
    }
  }
  let sealer: Tired | undefined;
  const { terminal, table, nonces } = world((channel) => (sealer = new Tired(channel)));
  const { channel } = table.open(terminal, "sealed", 0);
  const seen: number[] = [];
  table.onRekeyed(() => void seen.push(nonces().length));
  channel.event("one");
  if (sealer !== undefined) sealer.isTired = true;
  channel.event("two");
  expect(seen).toEqual([1]);
  const [first, second] = nonces();
  expect(second?.[0]).not.toBe(first?.[0]);
});
