// The dialect between a modelled pool and a link that keeps what it was given: what a cut may lose.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FrameType } from "../../../protocol/frame-types.ts";
import { toBytes } from "../../../protocol/text.ts";
import { ChannelTable } from "../../channels/table.ts";
import { GrantTable } from "../../grants/table.ts";
import { createLog } from "../../log.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { PtyDialect } from "./dialect.ts";
import { exitWords, outputWording } from "./words.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-dialect-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `broken`: what fetching ends with. */
function world(broken?: Error) {
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
    unread: () => {},
    credit: () => {},
    resize: () => {
      throw new TypeError("a bug of the pool");
    },
    fetch: async (
      _terminal: unknown,
      _from: number,
      _most: number,
      accept: (r: object) => unknown,
    ) => {
      if (broken !== undefined) throw broken;
      return accept({ offset: 0, bytes: Buffer.from("hello") });
    },
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
  const lines: string[] = [];
  const log = createLog("error", (line) => lines.push(line));
  const dialect = new PtyDialect(pool, grants, screens, log);
  const home = { link, channels };
  dialect.open(home);
  const joined = { grant: grant.id, joinedAt: 0, subscriptions: [] };
  const says = (message: object) => dialect.message(5, toBytes(JSON.stringify(message)));
  const sent = (type: number) => frames.filter((frame) => frame.type === type);
  const retitle = (title: string) => titled({ ...terminal, title });
  return { dialect, retitle, home, joined, says, sent, frames, lines, id: terminal.id };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("L3 a join that a cut swallowed is made again: whoever was told attached is attached", async () => {
  const { dialect, home, joined, says, sent, id, frames } = world();
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
  expect(sent(FrameType.join)).toMatchObject([{ stream: 1 }]);
  expect(sent(FrameType.peerSend).map(({ text }) => text)).toContainEqual(
    expect.stringContaining("pty:attached"),
  );
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

test("D21 a message that a fault of ours breaks gets an error, and the next one is served", async () => {
  const { dialect, home, joined, says, sent, lines, id } = world();
  dialect.joined(home, 5, joined);
  says({ type: "pty:attach", id });
  await settled();
  says({ type: "pty:resize", id, cols: 100, rows: 30 });
  const told = sent(FrameType.peerSend).at(-1);
  expect(told?.stream).toBe(5);
  expect(JSON.parse(told?.text ?? "")).toMatchObject({ type: "pty:error", code: "internal", id });
  expect(lines.join("")).toContain("a bug of the pool");
  says({ type: "pty:attach", id: "pty-000002" });
  expect(sent(FrameType.peerSend).at(-1)?.text).toContain("not_found");
});

test.each([
  ["a terminal that is gone", new Unavailable("no such terminal"), "not_found", 0],
  ["a fault of ours", new TypeError("a bug of the ring"), "internal", 1],
])("D21 an attach that fails by %s says so", async (_, broken, code, logged) => {
  const { dialect, home, joined, says, sent, lines, id } = world(broken);
  dialect.joined(home, 5, joined);
  says({ type: "pty:attach", id });
  await settled();
  const errors = sent(FrameType.peerSend).filter(({ text }) => text.includes("pty:error"));
  expect(errors.map(({ text }) => JSON.parse(text))).toMatchObject([{ code, id }]);
  expect(lines).toHaveLength(logged);
});
