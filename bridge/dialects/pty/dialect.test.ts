// The dialect between a modelled pool and a link that keeps what it was given: what a cut may lose.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FrameType } from "../../../protocol/frame-types.ts";
import { toBytes } from "../../../protocol/text.ts";
import { ChannelTable } from "../../channels/table.ts";
import { GrantTable } from "../../grants/table.ts";
import { createLog } from "../../log.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { PtyDialect } from "./dialect.ts";
import { exitWords, outputWording } from "./words.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-dialect-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function world() {
  const terminal = {
    id: "pty-000001",
    handle: 1,
    epoch: 7,
    cols: 80,
    rows: 24,
    meta: { cwd: "/", owner: "user", visible: true, createdAt: 0 },
    life: { state: "running" },
  } as unknown as PoolTerminal;
  let titled: (terminal: PoolTerminal) => void = () => {};
  const pool = {
    get: (id: string) => (id === terminal.id ? terminal : undefined),
    list: () => [],
    onEvent: () => {},
    onTitle: (listener: (terminal: PoolTerminal) => void) => (titled = listener),
    read: () => {},
    park: () => {},
    unread: () => {},
    credit: () => {},
    announceClosed: () => {},
    fetch: async (
      _terminal: unknown,
      from: number,
      _most: number,
      accept: (r: object) => unknown,
    ) => accept({ offset: Math.min(from, 5), bytes: Buffer.from("hello").subarray(from) }),
  } as unknown as TerminalPool;
  const frames: { type: number; stream: number; text: string }[] = [];
  const link = {
    send: (type: number, stream: number, payload?: Uint8Array) =>
      void frames.push({ type, stream, text: Buffer.from(payload ?? []).toString() }),
    sendBytes: () => {},
  };
  const words = ({ id }: PoolTerminal) => ({
    output: outputWording(id),
    exit: (exit: Parameters<typeof exitWords>[1]) => exitWords(id, exit),
  });
  const grants = new GrantTable(join(folder, "grants.json"));
  const { grant } = grants.mint({
    role: "edit",
    scopes: [],
    label: "",
    expiresAt: null,
    session: true,
  });
  const channels = new ChannelTable(
    pool,
    link,
    words,
    createLog("silent", () => {}),
  );
  const screens = { snapshot: () => Promise.reject(new Error("nobody asks for one here")) };
  const dialect = new PtyDialect(pool, grants, screens);
  const home = { link, channels };
  dialect.open(home);
  const joined = { grant: grant.id, joinedAt: 0, subscriptions: [] };
  const says = (message: object) => dialect.message(5, toBytes(JSON.stringify(message)));
  const sent = (type: number) => frames.filter((frame) => frame.type === type);
  /** What peers were told of this kind, as text. */
  const told = (type: string): object[] =>
    sent(FrameType.peerSend)
      .filter(({ text }) => text.startsWith(`{"type":"${type}"`))
      .map(({ text }) => JSON.parse(text));
  const finish = () => {
    const exit = { exitCode: 0, signal: null };
    terminal.life = { state: "finished", exit, end: 5, at: 0 };
    for (const { channel } of channels.of(terminal)) channel.exited(exit, 5);
  };
  const retitle = (title: string) => titled({ ...terminal, title });
  const { id } = terminal;
  return { dialect, retitle, home, joined, says, sent, told, finish, frames, id };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("L3 a join that a cut swallowed is made again: whoever was told attached is attached", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { dialect, home, joined, says, sent, id, frames, told } = world();
  dialect.joined(home, 5, joined);
  says({ type: "pty:attach", id });
  await settled();
  expect(sent(FrameType.join)).toHaveLength(1);
  frames.splice(0);
  // The link is back; the room has the channel, and never heard of the join.
  dialect.reconcile(
    home,
    new Map([[5, joined]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  await settled();
  // It may come back with its own place.
  expect(told("pty:attached")).toEqual([]);
  vi.advanceTimersByTime(2_000);
  await settled();
  expect(sent(FrameType.join)).toMatchObject([{ stream: 1 }]);
  expect(told("pty:attached")).toHaveLength(1);
});

test("L10 a viewer whose place the room lost goes on from its own, if it says so in time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { dialect, home, joined, says, sent, id, told } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: true }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: null }]]),
  );
  await settled();
  expect(told("pty:attached")).toEqual([]);
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(told("pty:attached")).toMatchObject([{ offset: 2, next: 2 }]);
  expect(told("pty:attached")[0]).not.toHaveProperty("history");
  expect(told("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
  expect(sent(FrameType.join).map(({ text }) => JSON.parse(text))).toMatchObject([
    { peer: 5, offset: 5 },
  ]);
});

test("D9 a client that attaches at the bridge's return is told where its output goes on, and gets nothing twice", async () => {
  const { dialect, home, joined, says, sent, id, frames, told } = world();
  // Adopted: another bridge was there, and the room has the subscription.
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 2 }]]),
  );
  home.channels.byNumber(1)?.channel.output({ offset: 2, span: 3, body: Buffer.from("llo") });
  frames.splice(0);
  // Said before what was on its way had come.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(told("pty:attached")).toEqual([
    { type: "pty:attached", id, epoch: 7, cols: 80, rows: 24, offset: 5, next: 5 },
  ]);
  expect(told("pty:output")).toEqual([]);
  expect([...sent(FrameType.leave), ...sent(FrameType.join)]).toEqual([]);
  // Once: from now on it has reasons of its own.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(told("pty:attached").at(-1)).toMatchObject({ offset: 2, next: 2 });
  expect(told("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
});

test("D9 one that the room skipped meanwhile is brought to its place as usual", async () => {
  const { dialect, home, joined, says, sent, id, told } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  dialect.skipped(home, 1, { peer: 5, attach: 9, sent: 5 });
  says({ type: "pty:attach", id, epoch: 7, offset: 1 });
  await settled();
  expect(told("pty:attached").at(-1)).toMatchObject({ offset: 1, next: 1 });
  expect(sent(FrameType.join)).toHaveLength(1);
});

test("D9 a raw viewer gets what follows its place once more, since it drops what it has, and then where it stands", async () => {
  const { dialect, home, joined, says, sent, id, frames } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, raw: true, subscriptions }]]),
    new Map([[1, { key: `${id}:7:raw`, received: 4 }]]),
  );
  frames.splice(0);
  says({ type: "pty:attach", id, epoch: 7, offset: 0 });
  await settled();
  const [bytes, attached] = sent(FrameType.peerSend);
  expect(bytes?.text).toMatch(/hell$/);
  expect(JSON.parse(attached?.text ?? "")).toMatchObject({ channel: 1, offset: 4, next: 4 });
  expect(sent(FrameType.join)).toEqual([]);
});

test("D9 what was sent to its end is not sent again, only where that was, and the exit", async () => {
  const { dialect, home, joined, says, id, told, finish } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  finish();
  says({ type: "pty:attach", id, epoch: 7, offset: 3 });
  await settled();
  expect(told("pty:attached").at(-1)).toMatchObject({ offset: 5, next: 5 });
  expect(told("pty:output")).toEqual([]);
  expect(told("pty:exit")).toHaveLength(1);
});

test("L3 a detach that a cut swallowed is made again", async () => {
  const { dialect, home, joined, says, sent, id, frames } = world();
  dialect.joined(home, 5, joined);
  says({ type: "pty:attach", id });
  await settled();
  says({ type: "pty:detach", id });
  frames.splice(0);
  const subscriptions = [{ channel: 1, attach: 1, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  await settled();
  expect(sent(FrameType.leave)).toMatchObject([{ stream: 1 }]);
  expect(sent(FrameType.channelClose)).toMatchObject([{ stream: 1 }]);
  expect(sent(FrameType.join)).toEqual([]);
});

test.each([
  { when: "before", says: "before its terminal ended" },
  { when: "after", says: "when the end was on its way" },
])(
  "V11 a viewer that was skipped $says gets the rest from there, and the exit",
  async ({ when }) => {
    const { dialect, home, joined, says, id, told, finish, frames } = world();
    dialect.joined(home, 5, joined);
    says({ type: "pty:attach", id });
    await settled();
    const skipped = { peer: 5, attach: 1, sent: 2 };
    if (when === "before") dialect.skipped(home, 1, skipped);
    frames.splice(0);
    finish();
    if (when === "after") dialect.skipped(home, 1, skipped);
    await settled();
    expect(told("pty:attached")).toMatchObject([{ offset: 2, next: 2 }]);
    expect(told("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
    expect(told("pty:exit")).toHaveLength(1);
  },
);

test("V5 a raw viewer that drained goes on where it was skipped, if that is retained", async () => {
  const { dialect, home, joined, id, sent, told, frames } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  dialect.reconcile(
    home,
    new Map([[5, { ...joined, raw: true, subscriptions }]]),
    new Map([[1, { key: `${id}:7:raw`, received: 5 }]]),
  );
  frames.splice(0);
  dialect.skipped(home, 1, { peer: 5, attach: 9, sent: 2 });
  dialect.drained(home, 1, { peer: 5, attach: 9 });
  await settled();
  expect(told("pty:attached")).toMatchObject([{ channel: 1, offset: 2, next: 2 }]);
  expect(told("pty:attached")[0]).not.toHaveProperty("snapshot");
  expect(sent(FrameType.peerSend).at(-1)?.text).toMatch(/llo$/);
  expect(sent(FrameType.join)).toHaveLength(1);
});

test("W10 a title is told to a room with somebody in it, once for all, and to no empty one", () => {
  const { dialect, retitle, home, joined, sent, id } = world();
  retitle("nobody is here");
  expect(sent(FrameType.peerSend)).toEqual([]);
  dialect.joined(home, 5, joined);
  dialect.joined(home, 6, joined);
  retitle("vim");
  const told = sent(FrameType.peerSend).filter(({ text }) => text.includes("pty:titled"));
  expect(told).toEqual([
    {
      type: FrameType.peerSend,
      stream: 0,
      text: JSON.stringify({ type: "pty:titled", id, title: "vim" }),
    },
  ]);
});
