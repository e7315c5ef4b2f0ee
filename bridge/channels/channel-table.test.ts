// The table between a modelled pool and a link that takes everything, in modelled time: how far a
// program may be ahead while a person types elsewhere.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ACK_BYTES, DRIVER_WINDOW, FRAME_SOFT_BYTES } from "../../protocol/limits.ts";
import { createLog } from "../log.ts";
import type { Reader } from "../terminals/readers.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { ChannelTable } from "./channel-table.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A flood in one terminal beside a quiet one, to a driver that acks each step after `tripMs`. */
function world(tripMs: number, isOnThisMachine = true) {
  const [flooded, quiet] = [poolTerminal({ id: "pty-1" }), poolTerminal({ id: "pty-2" })];
  let credit = 0;
  let sent = 0;
  let credits = 0;
  let reader: Reader | undefined;
  const pool = new (class extends OneTerminal {
    override read(_terminal: PoolTerminal, one: Reader, _from: number, to: number): void {
      reader = one;
      credit = to;
    }

    override credit(_terminal: PoolTerminal, _reader: Reader, to: number): void {
      credits++;
      credit = Math.max(credit, to);
    }
  })(flooded);
  const link = { send: () => {}, sendBytes: () => {} };
  const words = () => ({ output: (text: string) => text, exit: () => "" });
  const table = new ChannelTable(
    pool,
    link,
    words,
    createLog("silent", () => {}),
    {
      isLocal: isOnThisMachine,
    },
  );
  const { channel } = table.open(flooded, "raw", 0);
  channel.pace(0);
  /** Sends all that the program may print, and acks it a while later. Returns how much it was. */
  const round = (most = Infinity) => {
    const from = sent;
    const end = Math.min(credit, sent + most);
    while (sent < end) {
      const body = new Uint8Array(Math.min(FRAME_SOFT_BYTES, end - sent));
      reader?.onOutput({ offset: sent, span: body.length, body });
      sent += body.length;
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(tripMs);
    channel.onReceived(sent);
    channel.pace(sent);
    return sent - from;
  };
  const rounds = (count: number) => Array.from({ length: count }, () => round()).at(-1) ?? 0;
  return { table, flooded, quiet, round, rounds, credits: () => credits };
}

test("V9 beside someone who types, a flood to a near viewer keeps a short queue, and its own again after that", () => {
  const { table, flooded, quiet, rounds } = world(4);
  const free = rounds(60);
  expect(free).toBeGreaterThan(ACK_BYTES);
  table.recordTyping(quiet);
  expect(rounds(3)).toBe(ACK_BYTES);
  table.recordTyping(flooded);
  expect(rounds(3)).toBe(free);
  table.recordTyping(quiet);
  expect(rounds(3)).toBe(ACK_BYTES);
  vi.advanceTimersByTime(2_000);
  expect(rounds(3)).toBe(free);
});

test("L7 acks of a few bytes do not wake the host, which has plenty left; those of a flood do", () => {
  const { round, credits } = world(4);
  const before = credits();
  for (let key = 0; key < 1_000; key++) round(1);
  expect(credits()).toBe(before);
  for (let frame = 0; frame < 20; frame++) expect(round(FRAME_SOFT_BYTES)).toBe(FRAME_SOFT_BYTES);
  expect(credits()).toBeGreaterThan(before);
});

test.each([
  { where: "on a long way", tripMs: 40, here: true },
  { where: "to a relay elsewhere, whose viewers ack by the clock", tripMs: 4, here: false },
])("V9 $where the window is not cut: a short one would strangle it", ({ tripMs, here }) => {
  const { table, quiet, rounds } = world(tripMs, here);
  const free = rounds(60);
  expect(free).toBeGreaterThan(ACK_BYTES);
  expect(free).toBeLessThanOrEqual(DRIVER_WINDOW);
  table.recordTyping(quiet);
  expect(rounds(3)).toBe(free);
});
