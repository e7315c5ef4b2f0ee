// The dialect between a fake pool and a link that records frames: what a cut may lose.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FrameType } from "../../../protocol/frame-types.ts";
import { MAX_REQUESTS_PER_GRANT } from "../../../protocol/limits.ts";
import { PTY_REQUESTS } from "../../../protocol/pty-requests.ts";
import { decodeGroup } from "../../../protocol/output.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import { GrantTable } from "../../grants/grant-table.ts";
import { createLog } from "../../log.ts";
import type { RetainedBytes } from "../../terminals/host-client.ts";
import type { SpawnResult } from "../../terminals/pool.ts";
import type { PlanResult, SpawnPlan, SpawnRequest } from "../../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { describeTerminal } from "../../terminals/terminal.ts";
import { Unavailable } from "../../terminals/unavailable.ts";
import { modelledRoom, OneTerminal } from "../../../test/support/modelled-room.ts";
import { poolTerminal } from "../../../test/support/pool-terminal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-dialect-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const PLAN: SpawnPlan = {
  command: undefined,
  argv: ["/bin/sh"],
  cwd: "/",
  env: {},
  added: {},
  size: { cols: 80, rows: 24 },
  lane: "user",
  lifetime: "user",
  retain: undefined,
  isolation: "none",
  startedBy: undefined,
};

/** `broken`: the error with which fetching fails. */
function world(broken?: Error) {
  const terminal = poolTerminal();
  const typed: string[] = [];
  const closed: string[] = [];
  const starts: object[] = [];
  const pool = new (class extends OneTerminal {
    override input(_terminal: PoolTerminal, bytes: Uint8Array): void {
      typed.push(toText(bytes));
    }

    override async close({ id: ended }: PoolTerminal): Promise<void> {
      closed.push(ended);
    }

    override plan(request: SpawnRequest): PlanResult {
      starts.push(request);
      const isMissing = request.command?.[0] === "no such program";
      return isMissing ? { ok: false, error: "no such program" } : { ok: true, plan: PLAN };
    }

    override async start(): Promise<SpawnResult> {
      return { ok: true, terminal: describeTerminal(terminal) };
    }

    override resize(): void {
      throw new TypeError("a bug of the pool");
    }

    override async fetch<T>(
      _terminal: PoolTerminal,
      from: number,
      _most: number,
      accept: (retained: RetainedBytes) => T,
    ): Promise<T> {
      if (broken !== undefined) throw broken;
      return accept({ offset: Math.min(from, 5), bytes: Buffer.from("hello").subarray(from) });
    }
  })(terminal);
  const frames: { type: number; stream: number; text: string; bytes: Uint8Array }[] = [];
  const link = {
    send: (type: number, stream: number, payload: Uint8Array = new Uint8Array()) =>
      void frames.push({ type, stream, text: toText(payload), bytes: payload }),
    sendBytes: () => {},
    confirmed: () => Promise.resolve(),
  };
  const grants = new GrantTable(join(folder, "grants.json"));
  const { grant } = grants.mint({
    role: "edit",
    scopes: [],
    label: "",
    expiresAt: null,
    session: true,
  });
  const screens = { snapshot: () => Promise.reject(new Error("nobody asks for one here")) };
  const lines: string[] = [];
  const log = createLog("error", (line) => lines.push(line));
  const { door, home, viewers } = modelledRoom({ pool, link, grants, screens, log });
  const joined = { grant: grant.id, joinedAt: 0, subscriptions: [] };
  const says = (message: object) => door.onMessage(5, toBytes(JSON.stringify(message)));
  const sent = (type: number) => frames.filter((frame) => frame.type === type);
  /** Messages of this type that peers got, as text. */
  const findMessages = (type: string): object[] =>
    sent(FrameType.peerSend)
      .filter(({ text }) => text.startsWith(`{"type":"${type}"`))
      .map(({ text }) => JSON.parse(text));
  const finish = () => {
    const exit = { exitCode: 0, signal: null };
    terminal.life = { state: "finished", exit, end: 5, at: 0 };
    for (const { channel } of home.channels.listForTerminal(terminal)) channel.onExited(exit, 5);
  };
  const retitle = (title: string) => pool.titles.fire({ ...terminal, title });
  const { id } = terminal;
  const room = { door, home, viewers, grants, terminal };
  return {
    ...room,
    typed,
    closed,
    starts,
    retitle,
    joined,
    says,
    sent,
    findMessages,
    finish,
    frames,
    lines,
    id,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("L3 a join that a cut swallowed is made again: whoever was told attached is attached", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { door, joined, says, sent, id, frames, findMessages } = world();
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  await settled();
  expect(sent(FrameType.join)).toHaveLength(1);
  frames.splice(0);
  // The link is back; the room has the channel but never received the join.
  door.reconcile(new Map([[5, joined]]), new Map([[1, { key: `${id}:7:json`, received: 5 }]]));
  await settled();
  // It may return with its own position.
  expect(findMessages("pty:attached")).toEqual([]);
  vi.advanceTimersByTime(2_000);
  await settled();
  expect(sent(FrameType.join)).toMatchObject([{ stream: 1 }]);
  expect(findMessages("pty:attached")).toHaveLength(1);
});

test("L10 a viewer whose place the room lost goes on from its own, if it says so in time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { door, joined, says, sent, id, findMessages } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: true }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: null }]]),
  );
  await settled();
  vi.advanceTimersByTime(1_999);
  await settled();
  expect(findMessages("pty:attached")).toEqual([]);
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  vi.advanceTimersByTime(10_000);
  await settled();
  expect(findMessages("pty:attached")).toMatchObject([{ offset: 2, next: 2 }]);
  expect(findMessages("pty:attached")[0]).not.toHaveProperty("history");
  expect(findMessages("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
  expect(sent(FrameType.join).map(({ text }) => JSON.parse(text))).toMatchObject([
    { peer: 5, offset: 5 },
  ]);
});

test("L15 one that does not say so within 2 s gets a new start", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const { door, joined, id, findMessages } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: true }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: null }]]),
  );
  await settled();
  vi.advanceTimersByTime(2_000);
  await settled();
  expect(findMessages("pty:attached")).toMatchObject([{ history: "hello" }]);
});

test("D24 an answer that comes after the new start goes on behind it: nothing is sent twice", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  const { door, joined, says, id, findMessages } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: true }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: null }]]),
  );
  vi.advanceTimersByTime(2_000);
  // Sent before the new start had arrived.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(findMessages("pty:attached")).toMatchObject([
    { history: "hello", next: 5 },
    { offset: 5, next: 5 },
  ]);
  expect(findMessages("pty:output")).toEqual([]);
  // Only once: later attaches have reasons of their own.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(findMessages("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
});

test("D24 after two cuts in a row it may answer twice: nothing is sent twice", async () => {
  const { door, joined, says, id, findMessages } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: true }];
  for (let cuts = 0; cuts < 2; cuts++) {
    door.reconcile(
      new Map([[5, { ...joined, subscriptions }]]),
      new Map([[1, { key: `${id}:7:json`, received: null }]]),
    );
  }
  for (let answers = 0; answers < 2; answers++) {
    says({ type: "pty:attach", id, epoch: 7, offset: 2 });
    await settled();
  }
  expect(findMessages("pty:attached")).toMatchObject([{ offset: 2 }, { offset: 5, next: 5 }]);
  expect(findMessages("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
});

test("D23 D24 a client that attaches at the bridge's return is told where its output goes on, and gets nothing twice", async () => {
  const { door, home, joined, says, sent, id, frames, findMessages } = world();
  // Adopted: an earlier bridge subscribed the peer in the room.
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 2 }]]),
  );
  home.channels.byNumber(1)?.channel.onOutput({ offset: 2, span: 3, body: Buffer.from("llo") });
  frames.splice(0);
  // Sent before the output on its way had arrived.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(findMessages("pty:attached")).toEqual([
    { type: "pty:attached", id, epoch: 7, cols: 80, rows: 24, offset: 5, next: 5 },
  ]);
  expect(findMessages("pty:output")).toEqual([]);
  expect([...sent(FrameType.leave), ...sent(FrameType.join)]).toEqual([]);
  // Only once: later attaches have reasons of their own.
  says({ type: "pty:attach", id, epoch: 7, offset: 2 });
  await settled();
  expect(findMessages("pty:attached").at(-1)).toMatchObject({ offset: 2, next: 2 });
  expect(findMessages("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
});

test("R90 whoever is greeted again without a cut attaches again, and gets nothing twice", async () => {
  const { door, home, joined, says, sent, id, frames, findMessages } = world();
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  await settled();
  home.channels.list()[0]?.channel.onOutput({ offset: 5, span: 3, body: Buffer.from("new") });
  frames.splice(0);
  door.greetAgain();
  expect(findMessages("pty:terminals")).toHaveLength(1);
  // Sent before the output on its way had arrived.
  says({ type: "pty:attach", id, epoch: 7, offset: 5 });
  await settled();
  expect(findMessages("pty:attached")).toMatchObject([{ offset: 8, next: 8 }]);
  expect(findMessages("pty:output")).toEqual([]);
  expect([...sent(FrameType.leave), ...sent(FrameType.join)]).toEqual([]);
});

test("G48 G2 a key looks its grant up once, and the next one after a revocation types nothing", () => {
  const { door, grants, joined, says, sent, typed, id } = world();
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  says({ type: "pty:view", id, cols: 80, rows: 24, visible: true });
  // The first key makes its sender the driver, which names them to all viewers.
  says({ type: "pty:input", id, data: "a" });
  const lookUp = vi.spyOn(grants, "lookUp");
  says({ type: "pty:input", id, data: "b" });
  expect(lookUp).toHaveBeenCalledTimes(1);
  grants.revoke(joined.grant);
  says({ type: "pty:input", id, data: "c" });
  expect(typed).toEqual(["a", "b"]);
  expect(sent(FrameType.peerClose)).not.toEqual([]);
});

test("D4 D27 every request that changes something is refused to a view link, by its row", () => {
  const { door, grants, joined, says, findMessages, typed, id } = world();
  const view = grants.mint({ role: "view", scopes: [], label: "", expiresAt: null, session: true });
  door.onJoined(5, { ...joined, grant: view.grant.id });
  const samples: Readonly<Record<string, object>> = {
    "pty:input": { data: "x" },
    "pty:resize": { cols: 100, rows: 30 },
    "pty:rename": { name: "x" },
    "pty:give": { peer: 1 },
  };
  const rows = PTY_REQUESTS.filter(({ requires }) => requires === "change");
  for (const { schema } of rows) {
    const [type = ""] = schema.shape.type.def.values;
    const isSwitch = ["pty:private", "pty:agents-type", "pty:pin", "pty:record"].includes(type);
    says({ type, id, ...(isSwitch ? { on: true } : {}), ...samples[type] });
  }
  expect(findMessages("pty:error")).toEqual(
    rows.map(() => expect.objectContaining({ code: "forbidden", id })),
  );
  expect(typed).toEqual([]);
});

test("D26 a terminal is opened and closed over the socket; each answer has the id that was sent", async () => {
  const { door, joined, says, findMessages, starts, terminal, id } = world();
  door.onJoined(5, joined);
  says({ type: "pty:spawn", id: "mine-1", command: ["make"], cols: 120, rows: 40 });
  await settled();
  expect(findMessages("pty:spawned")).toEqual([
    { type: "pty:spawned", id: "mine-1", terminal: describeTerminal(terminal) },
  ]);
  expect(starts).toMatchObject([{ command: ["make"], cols: 120, rows: 40, lane: "user" }]);
  says({ type: "pty:spawn", id: "mine-2", command: ["no such program"] });
  says({ type: "pty:spawn", id: "mine-3", comand: ["a typo"] });
  says({ type: "pty:close", id: "pty-000000" });
  says({ type: "pty:close", id });
  await settled();
  expect(findMessages("pty:error")).toMatchObject([
    { id: "mine-3", code: "bad_request" },
    { id: "pty-000000", code: "not_found" },
    { id: "mine-2", code: "spawn_failed" },
  ]);
  expect(findMessages("pty:closed")).toEqual([{ type: "pty:closed", id }]);
});

test("D28 a link has at most 32 terminals starting at the same time, however it asks", async () => {
  const { door, joined, says, findMessages } = world();
  door.onJoined(5, joined);
  const ask = (count: number) => {
    for (let n = 0; n < count; n++) says({ type: "pty:spawn", id: `mine-${n}` });
  };
  ask(MAX_REQUESTS_PER_GRANT + 1);
  await settled();
  expect(findMessages("pty:error")).toMatchObject([{ code: "too_many", id: "mine-32" }]);
  ask(1);
  await settled();
  expect(findMessages("pty:spawned")).toHaveLength(MAX_REQUESTS_PER_GRANT + 1);
});

test("D26 G48 a link that ends while its terminal starts gets none", async () => {
  const { door, grants, joined, says, findMessages, closed, id } = world();
  door.onJoined(5, joined);
  says({ type: "pty:spawn", id: "mine-1" });
  grants.revoke(joined.grant);
  await settled();
  expect(findMessages("pty:spawned")).toEqual([]);
  expect(closed).toEqual([id]);
});

test("L12 L22 of what a late message may do to a terminal, only its size is taken", () => {
  const { door, joined, id, findMessages, frames } = world();
  door.onJoined(5, joined);
  frames.splice(0);
  const types = PTY_REQUESTS.flatMap(({ schema }) => schema.shape.type.def.values);
  for (const type of types) door.onMessage(5, toBytes(JSON.stringify({ type, id })), true);
  const asleep = findMessages("pty:error").filter(
    (error) => "code" in error && error.code === "host_asleep",
  );
  const taken = new Set(["pty:attach", "pty:detach", "pty:ack", "pty:view", "pty:resize"]);
  expect(asleep).toHaveLength(types.filter((type) => !taken.has(type)).length);
});

test("D9 one that the room skipped meanwhile is brought to its place as usual", async () => {
  const { door, home, viewers, joined, says, sent, id, findMessages } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  viewers.onSkipped(home, 1, { peer: 5, attach: 9, sent: 5 });
  says({ type: "pty:attach", id, epoch: 7, offset: 1 });
  await settled();
  expect(findMessages("pty:attached").at(-1)).toMatchObject({ offset: 1, next: 1 });
  expect(sent(FrameType.join)).toHaveLength(1);
});

test("D25 a raw viewer gets what follows its place once more, since it drops what it has, and then where it stands", async () => {
  const { door, joined, says, sent, id, frames } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  door.reconcile(
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

test("D23 D24 what was sent to its end is not sent again, only where that was, and the exit", async () => {
  const { door, joined, says, id, findMessages, finish } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  door.reconcile(
    new Map([[5, { ...joined, subscriptions }]]),
    new Map([[1, { key: `${id}:7:json`, received: 5 }]]),
  );
  finish();
  says({ type: "pty:attach", id, epoch: 7, offset: 3 });
  await settled();
  expect(findMessages("pty:attached").at(-1)).toMatchObject({ offset: 5, next: 5 });
  expect(findMessages("pty:output")).toEqual([]);
  expect(findMessages("pty:exit")).toHaveLength(1);
});

test("L3 a detach that a cut swallowed is made again", async () => {
  const { door, joined, says, sent, id, frames } = world();
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  await settled();
  says({ type: "pty:detach", id });
  frames.splice(0);
  const subscriptions = [{ channel: 1, attach: 1, skipped: false }];
  door.reconcile(
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
    const { door, home, viewers, joined, says, id, findMessages, finish, frames } = world();
    door.onJoined(5, joined);
    says({ type: "pty:attach", id });
    await settled();
    const skipped = { peer: 5, attach: 1, sent: 2 };
    if (when === "before") viewers.onSkipped(home, 1, skipped);
    frames.splice(0);
    finish();
    if (when === "after") viewers.onSkipped(home, 1, skipped);
    await settled();
    expect(findMessages("pty:attached")).toMatchObject([{ offset: 2, next: 2 }]);
    expect(findMessages("pty:output")).toMatchObject([{ offset: 2, data: "llo" }]);
    expect(findMessages("pty:exit")).toHaveLength(1);
  },
);

test("V20 a raw viewer that drained goes on where it was skipped, if that is retained", async () => {
  const { door, home, viewers, joined, id, sent, findMessages, frames } = world();
  const subscriptions = [{ channel: 1, attach: 9, skipped: false }];
  door.reconcile(
    new Map([[5, { ...joined, raw: true, subscriptions }]]),
    new Map([[1, { key: `${id}:7:raw`, received: 5 }]]),
  );
  frames.splice(0);
  viewers.onSkipped(home, 1, { peer: 5, attach: 9, sent: 2 });
  viewers.onDrained(home, 1, { peer: 5, attach: 9 });
  await settled();
  expect(findMessages("pty:attached")).toMatchObject([{ channel: 1, offset: 2, next: 2 }]);
  expect(findMessages("pty:attached")[0]).not.toHaveProperty("snapshot");
  expect(sent(FrameType.peerSend).at(-1)?.text).toMatch(/llo$/);
  expect(sent(FrameType.join)).toHaveLength(1);
});

test("W90 U4 a title is told to a room with someone in it, once for all, and to no empty one", () => {
  const { door, retitle, joined, sent, id } = world();
  retitle("nobody is here");
  expect(sent(FrameType.peerSend)).toEqual([]);
  door.onJoined(5, joined);
  door.onJoined(6, joined);
  retitle("vim");
  const [findMessages, ...more] = sent(FrameType.groupSend);
  expect(more).toEqual([]);
  const group = decodeGroup(findMessages?.bytes ?? new Uint8Array());
  expect(group?.peers).toEqual([5, 6]);
  expect(toText(group?.body ?? new Uint8Array())).toBe(
    JSON.stringify({ type: "pty:titled", id, title: "vim" }),
  );
  // No broadcast: no message goes to peer 0.
  expect(sent(FrameType.peerSend).filter(({ stream }) => stream === 0)).toEqual([]);
});

test("D21 a message that a fault of ours breaks gets an error, and the next one is served", async () => {
  const { door, joined, says, sent, lines, id } = world();
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  await settled();
  says({ type: "pty:resize", id, cols: 100, rows: 30 });
  const findMessages = sent(FrameType.peerSend).at(-1);
  expect(findMessages?.stream).toBe(5);
  expect(JSON.parse(findMessages?.text ?? "")).toMatchObject({
    type: "pty:error",
    code: "internal",
    id,
  });
  expect(lines.join("")).toContain("a bug of the pool");
  says({ type: "pty:attach", id: "pty-000002" });
  expect(sent(FrameType.peerSend).at(-1)?.text).toContain("not_found");
});

test.each([
  ["a terminal that is gone", new Unavailable("no such terminal"), "not_found", 0],
  ["a fault of ours", new TypeError("a bug of the ring"), "internal", 1],
])("D21 an attach that fails by %s says so", async (_, broken, code, logged) => {
  const { door, joined, says, sent, lines, id } = world(broken);
  door.onJoined(5, joined);
  says({ type: "pty:attach", id });
  await settled();
  const errors = sent(FrameType.peerSend).filter(({ text }) => text.includes("pty:error"));
  expect(errors.map(({ text }) => JSON.parse(text))).toMatchObject([{ code, id }]);
  expect(lines).toHaveLength(logged);
});

test("U6 news and titles of a private terminal are for edit links alone; a view link's attach finds nothing", async () => {
  const { door, grants, terminal, retitle, joined, sent, says, findMessages, id } = world();
  const view = grants.mint({ role: "view", scopes: [], label: "", expiresAt: null, session: true });
  door.onJoined(6, joined);
  door.onJoined(5, { ...joined, grant: view.grant.id });
  terminal.meta = { ...terminal.meta, private: true };
  retitle("secret");
  const titled = sent(FrameType.peerSend).filter(({ text }) => text.includes("secret"));
  expect(titled.map(({ stream }) => stream)).toEqual([6]);
  expect(sent(FrameType.groupSend)).toEqual([]);
  says({ type: "pty:attach", id });
  await settled();
  expect(findMessages("pty:error")).toMatchObject([{ code: "not_found", id }]);
});
