// Bursts of attaches, between a pool that answers on command and a link that records: how much is
// fetched, for whom, and in which order.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { modelledRoom, OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { GrantTable } from "../grants/grant-table.ts";
import { createLog } from "../log.ts";
import type { RetainedBytes } from "../terminals/host-client.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-replays-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ATTACHES = 1_900;

interface Asked {
  readonly from: number;
  readonly caller: string | undefined;
  readonly answer: () => void;
}

/** `confirms`: the room confirms on command; otherwise immediately. */
function world({ confirms = false, printed = "x" } = {}) {
  const terminal = poolTerminal();
  terminal.end = REPLAY_BYTES;
  /** Unanswered fetches, oldest first. */
  const asked: Asked[] = [];
  let fetched = 0;
  const pool = new (class extends OneTerminal {
    override fetch<T>(
      _terminal: PoolTerminal,
      from: number,
      most: number,
      accept: (retained: RetainedBytes) => T,
      to = REPLAY_BYTES,
      caller?: string,
    ): Promise<T> {
      fetched += 1;
      return new Promise((resolve) => {
        const answer = () => {
          const offset = Math.min(REPLAY_BYTES, Math.max(from, REPLAY_BYTES - most));
          const bytes = Buffer.alloc(Math.max(0, Math.min(to, REPLAY_BYTES) - offset), printed);
          resolve(accept({ offset, bytes }));
        };
        asked.push({ from, caller, answer });
      });
    }
  })(terminal);
  const frames: { type: number; stream: number; text: string; bytes: number }[] = [];
  const confirming: (() => void)[] = [];
  const link = {
    send: (type: number, stream: number, payload: Uint8Array = new Uint8Array()) => {
      const text = toText(payload.subarray(0, 200));
      frames.push({ type, stream, text, bytes: payload.length });
    },
    sendBytes: () => {},
    confirmed: () =>
      confirms ? new Promise<void>((resolve) => confirming.push(resolve)) : Promise.resolve(),
  };
  const grants = new GrantTable(join(folder, "grants.json"));
  const screens = {
    snapshot: async () => ({ offset: REPLAY_BYTES, cols: 80, rows: 24, data: "screen" }),
  };
  const log = createLog("error", () => {});
  const { door } = modelledRoom({ pool, link, grants, screens, log });
  const mint = () =>
    grants.mint({ role: "view", scopes: [], label: "", expiresAt: null, session: true }).grant.id;
  const { id, epoch } = terminal;
  const attach = (peer: number, offset = 0) =>
    door.onMessage(peer, toBytes(JSON.stringify({ type: "pty:attach", id, epoch, offset })));
  const answerAll = async () => {
    while (asked.length > 0) {
      asked.shift()?.answer();
      await settled();
    }
  };
  return {
    asked,
    confirming,
    attach,
    answerAll,
    fetched: () => fetched,
    enter: (peer: number, grant: string, raw: boolean) =>
      door.onJoined(peer, { grant, joinedAt: 0, subscriptions: [], raw }),
    leave: (peer: number) => door.onLeft(peer),
    mint,
    /** Returns the peers that got `pty:attached`, in order. */
    attached: () =>
      frames
        .filter(({ text }) => text.startsWith('{"type":"pty:attached"'))
        .map(({ stream, text }) => ({ peer: stream, text })),
    sentTo: (peer: number) =>
      frames
        .filter(({ type, stream }) => type === FrameType.peerSend && stream === peer)
        .reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test.each([false, true])(
  "V12 of a burst of attaches the first is fetched for and the newest answered (raw: %s)",
  async (raw) => {
    const { attach, answerAll, attached, asked, fetched, enter, mint, sentTo } = world();
    enter(5, mint(), raw);
    for (let n = 0; n < ATTACHES; n++) attach(5, n);
    await settled();
    expect(asked.length).toBeLessThanOrEqual(1);
    await answerAll();
    // A raw viewer gets one window at a time, as it renders them.
    expect(fetched()).toBeLessThanOrEqual(raw ? 3 : 2);
    expect(attached()).toHaveLength(1);
    expect(sentTo(5)).toBeLessThan(REPLAY_BYTES + MiB);
    if (!raw) expect(attached()[0]?.text).toContain(`"offset":${ATTACHES - 1},`);
  },
);

test("V12 of a burst of attaches of a raw viewer that is there, the newest is answered", async () => {
  const { attach, answerAll, attached, fetched, enter, mint } = world();
  enter(5, mint(), true);
  attach(5, REPLAY_BYTES);
  await settled();
  await answerAll();
  expect(attached()).toHaveLength(1);
  const before = fetched();
  for (let n = 0; n < ATTACHES; n++) attach(5, n);
  await answerAll();
  expect(fetched() - before).toBe(2);
  expect(attached()).toHaveLength(3);
});

test("V12 a viewer that left before its turn is fetched nothing", async () => {
  const { attach, answerAll, asked, fetched, enter, leave, mint } = world();
  enter(5, mint(), false);
  attach(5, 0);
  attach(5, 1);
  expect(asked).toHaveLength(1);
  leave(5);
  await answerAll();
  expect(fetched()).toBe(1);
});

test("V14 fifty sockets of one link have one buffer under way; a bystander's attach comes next", async () => {
  const { attach, asked, enter, mint, attached } = world();
  const link = mint();
  const other = mint();
  for (let peer = 1; peer <= 50; peer++) enter(peer, link, false);
  enter(99, other, false);
  for (let peer = 1; peer <= 50; peer++) attach(peer);
  attach(99);
  await settled();
  expect(asked.map(({ caller }) => caller)).toEqual([link, other]);
  asked[1]?.answer();
  await settled();
  expect(attached().map(({ peer }) => peer)).toEqual([99]);
});

test("V14 what a link was sent counts until the room has it", async () => {
  const { attach, answerAll, confirming, fetched, enter, mint, attached } = world({
    confirms: true,
  });
  enter(5, mint(), false);
  // Each is answered by the bridge; the room confirms nothing.
  for (let n = 0; n < 100; n++) {
    attach(5);
    await settled();
    await answerAll();
  }
  expect(fetched()).toBe(1);
  enter(6, mint(), false);
  attach(6);
  await answerAll();
  expect(attached().at(-1)?.peer).toBe(6);
  expect(confirming).toHaveLength(1);
  confirming.shift()?.();
  await settled();
  await answerAll();
  expect(fetched()).toBeGreaterThan(2);
});

test.each([false, true])(
  "V14 eight hundred attaches of forty sockets leave 6 MiB at most in a link that takes nothing (raw: %s)",
  async (raw) => {
    const { attach, answerAll, enter, mint, sentTo } = world({ confirms: true });
    const links = [mint(), mint(), mint(), mint()];
    const peers = Array.from({ length: 40 }, (_, n) => n + 1);
    for (const peer of peers) enter(peer, links[peer % links.length] ?? "", raw);
    // A joined raw viewer gets what it lacks in one go.
    for (const peer of peers) attach(peer, REPLAY_BYTES);
    await answerAll();
    const sent = () => peers.reduce((sum, peer) => sum + sentTo(peer), 0);
    const before = sent();
    for (let n = 0; n < 20; n++) {
      for (const peer of peers) attach(peer, 0);
      await settled();
      await answerAll();
    }
    expect(sent() - before).toBeGreaterThan(REPLAY_BYTES / 2);
    expect(sent() - before).toBeLessThan(3 * REPLAY_BYTES + MiB);
  },
);

test("V27 V28 text that quotes badly counts as it was sent", async () => {
  const { attach, answerAll, fetched, enter, mint, sentTo } = world({
    confirms: true,
    printed: "\x1b",
  });
  enter(5, mint(), false);
  attach(5);
  await answerAll();
  expect(sentTo(5)).toBeGreaterThan(6 * REPLAY_BYTES);
  enter(6, mint(), false);
  attach(6);
  await settled();
  expect(fetched()).toBe(1);
});

test("V30 attaches that come faster than turns do not put off the answer: the newest takes the turn", async () => {
  const { attach, answerAll, asked, attached, confirming, enter, mint } = world({ confirms: true });
  const link = mint();
  enter(5, link, false);
  enter(6, link, false);
  enter(7, link, false);
  attach(5);
  await answerAll();
  attach(6, 1);
  attach(7, 5);
  for (let n = 2; n < 50; n++) attach(6, n);
  expect(asked).toHaveLength(0);
  confirming.shift()?.();
  await settled();
  // Before the other socket's, which came after the first of them.
  expect(asked.map(({ from }) => from)).toEqual([49]);
  await answerAll();
  expect(attached().map(({ peer }) => peer)).toEqual([5, 6]);
});

test("V15 V33 attaches without end: the first 16 MiB go at once, then the viewer waits and a bystander does not", async () => {
  const { attach, answerAll, fetched, enter, mint, attached } = world();
  const link = mint();
  enter(5, link, false);
  enter(6, link, false);
  for (let n = 0; n < 100; n++) {
    attach(5, n);
    await settled();
    await answerAll();
  }
  const paced = fetched();
  expect(paced).toBeGreaterThanOrEqual(8);
  expect(paced).toBeLessThan(20);
  attach(6, 0);
  await answerAll();
  expect(attached().at(-1)?.peer).toBe(6);
});
