// The gate of sealed links at a hub, with the page's own side of the handshake.

import { expect, test } from "vitest";
import { decodeFrames } from "../../protocol/frame.ts";
import { MAX_RECORD_DATA, SealedFrame } from "../../protocol/sealed/messages.ts";
import { setFaultLog } from "../faults.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import {
  flipBit,
  GRANT,
  ORIGIN,
  sealedHost,
  startPage,
  WORKSPACE,
} from "../../test/support/sealed-pair.ts";
import { PageSession } from "../../web/sealed/page-session.ts";
import type { CloseReason } from "../callers/caller.ts";
import type { Dialect } from "../callers/dialect-interface.ts";
import { Hub } from "../callers/hub.ts";
import { HANDSHAKE_TIMEOUT_MS } from "../callers/proof-gate.ts";
import type { Grant } from "../grants/grant-table.ts";
import { createLog } from "../log.ts";
import { HandshakeBudget } from "./handshake-budget.ts";
import { SealedCaller } from "./sealed-caller.ts";
import { SealedGate } from "./sealed-gate.ts";

type Bytes = Uint8Array<ArrayBuffer>;

function world(grant: Partial<Grant> = {}) {
  const host = sealedHost();
  const logged: string[] = [];
  const log = createLog("info", (line) => void logged.push(line));
  const live = createGrant(GRANT, { role: "edit", psk: host.psk, ...grant });
  const peek = (id: string) => (id === GRANT ? live : undefined);
  const hub = new Hub({ lookUp: peek, onEvent: () => () => {} }, log);
  const timers: { action: () => void; milliseconds: number; isCancelled: boolean }[] = [];
  const turns: (() => void)[] = [];
  const gate = new SealedGate({
    grants: { peek },
    hub,
    hostKey: host.deps.hostKey,
    workspace: WORKSPACE,
    origins: () => [ORIGIN],
    log,
    schedule: (action, milliseconds) => {
      const timer = { action, milliseconds, isCancelled: false };
      timers.push(timer);
      return () => {
        timer.isCancelled = true;
      };
    },
    defer: (action) => void turns.push(action),
    now: () => 0,
  });
  hub.addGate(gate);
  const heard: string[] = [];
  const dialect: Dialect = {
    prefix: "test:",
    doors: ["people"],
    onJoin: (caller) => caller.send('{"type":"test:welcome"}'),
    onMessage: ({ caller }, _message, text) => {
      heard.push(text);
      caller.send('{"type":"test:answer"}');
    },
    error: (code) => JSON.stringify({ type: "test:error", code }),
  };
  hub.registerDialect(dialect);
  const come = (predatesBridge = false) => {
    const base = callerWith(live, "people");
    const closed: CloseReason[] = [];
    const frames: Bytes[] = [];
    let leave = (): void => undefined;
    const caller = new SealedCaller({
      ...base,
      door: { ...base.door, proof: "ticket" },
      predatesBridge,
      sendBytes: (bytes) => void frames.push(bytes),
      close: (reason) => {
        closed.push(reason);
        leave();
      },
    });
    leave = hub.open(caller);
    /** As the door passes on what the socket brings. */
    const say = (text: string) => {
      const opened = caller.receive(toBytes(text));
      if (opened !== undefined) hub.handleMessage(caller, opened);
    };
    return { caller, closed, frames, say, leave, clear: base.messages };
  };
  const runTurns = () => {
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) turn();
  };
  return { host, hub, gate, live, come, heard, timers, turns, runTurns, logged };
}

type World = ReturnType<typeof world>;
type Peer = ReturnType<World["come"]>;

const types = (frames: readonly Bytes[]) =>
  frames.map((bytes) => decodeFrames(bytes).frames[0]?.type);
const payload = (bytes: Bytes | undefined): Bytes =>
  new Uint8Array(decodeFrames(bytes ?? new Uint8Array(0)).frames[0]?.payload ?? []);

/** Shakes hands as the page does; returns its session and what it received. */
async function shakeHands({ host, runTurns }: World, peer: Peer) {
  const handshake = await startPage(host.link);
  peer.say(handshake.hello);
  runTurns();
  const { keys, ready } = await handshake.finish(payload(peer.frames.at(-1)));
  const received: string[] = [];
  const sent: string[] = [];
  const session = await PageSession.open(keys, {
    send: (text) => void sent.push(text),
    receive: (_kind, data) => void received.push(toText(data)),
    onFault: (error) => expect.unreachable(String(error)),
  });
  await expect.poll(() => sent.length).toBe(1);
  const pull = async () => {
    for (const bytes of peer.frames.splice(0)) {
      const [frame] = decodeFrames(bytes).frames;
      if (frame?.type === SealedFrame.record) session.receive(RecordKind.text, payload(bytes));
    }
    await session.incoming.settled();
    return received.splice(0);
  };
  return { session, ready, sent, pull, hello: handshake.hello };
}

test("SE23 a caller opens once its handshake is confirmed, and gets nothing but the answer before", async () => {
  const room = world();
  const peer = room.come();
  expect(room.hub.isWaiting(peer.caller)).toBe(true);
  peer.caller.send('{"type":"test:too-early"}');
  expect(peer.frames).toEqual([]);
  const page = await shakeHands(room, peer);
  room.hub.broadcast('{"type":"test:secret"}');
  expect([types(peer.frames), room.hub.isOpen(peer.caller)]).toEqual([[SealedFrame.ready], false]);
  expect(page.ready.role).toBe("edit");
  peer.say(page.sent[0] ?? "");
  expect([room.hub.isOpen(peer.caller), peer.closed, peer.clear]).toEqual([true, [], []]);
  expect(await page.pull()).toEqual(['{"type":"test:welcome"}']);
  expect(peer.caller.hello).toEqual({ v: 1 });
  expect(peer.caller.digits).toBe(await page.session.digits());
  expect(room.timers.every(({ isCancelled }) => isCancelled)).toBe(true);
});

test("SE23 any other message than a hello, and 10 s, close the caller", async () => {
  const room = world();
  for (const text of ['{"type":"test:list"}', "", "eAAAA", "E", "Enot base64!"]) {
    const peer = room.come();
    peer.say(text);
    room.runTurns();
    expect([text, peer.closed.map(({ why }) => why)]).toEqual([text, ["sealed"]]);
  }
  const silent = room.come();
  expect(room.timers.at(-1)?.milliseconds).toBe(HANDSHAKE_TIMEOUT_MS);
  room.timers.at(-1)?.action();
  expect(silent.closed.map(({ why }) => why)).toEqual(["sealed"]);
  const hasty = room.come();
  const { hello } = await startPage(room.host.link);
  hasty.say(hello);
  hasty.say(hello);
  room.runTurns();
  expect([hasty.closed.map(({ why }) => why), hasty.frames]).toEqual([["sealed"], []]);
});

test("SE23 a caller that does not confirm, or that leaves, is not opened", async () => {
  const room = world();
  const [wrong, gone] = [room.come(), room.come()];
  await shakeHands(room, wrong);
  wrong.say('{"type":"e2e:confirm"}');
  expect(wrong.closed.map(({ why }) => why)).toEqual(["sealed"]);
  gone.say((await startPage(room.host.link)).hello);
  gone.leave();
  room.runTurns();
  expect(gone.frames).toEqual([]);
  expect(room.timers.every(({ isCancelled }) => isCancelled)).toBe(true);
});

test("SE23 plain links and sockets of this machine pass; a sealed link elsewhere than at the people's door does not", () => {
  const { gate } = world();
  const plain = { ...callerWith(createGrant("plainplain"), "people"), grantId: "plainplain" };
  expect(gate.check(plain).is).toBe("passed");
  const inner = callerWith(createGrant(GRANT), "http");
  expect(gate.check(inner).is).toBe("passed");
  const http = { ...inner, door: { ...inner.door, proof: "ticket" as const } };
  expect(gate.check(http)).toMatchObject({ is: "refused", reason: { why: "sealed" } });
});

test("SE24 what an open caller says and gets is sealed, and a message that does not open ends it", async () => {
  const room = world();
  for (const spoil of [
    () => '{"type":"test:forged"}',
    (text: string) => `${text.slice(0, -8)}AAAAAAA=`,
    (text: string) => `e${flipBit(Buffer.from(text.slice(1), "base64"), 99).toString("base64")}`,
    () => "e",
  ]) {
    const peer = room.come();
    // oxlint-disable-next-line no-await-in-loop
    const page = await shakeHands(room, peer);
    peer.say(page.sent[0] ?? "");
    page.session.send('{"type":"test:hello"}');
    page.session.send('{"type":"test:rm"}');
    // oxlint-disable-next-line no-await-in-loop
    await expect.poll(() => page.sent.length).toBe(3);
    peer.say(page.sent[1] ?? "");
    expect(room.heard.splice(0)).toEqual(['{"type":"test:hello"}']);
    // oxlint-disable-next-line no-await-in-loop
    expect(await page.pull()).toEqual(['{"type":"test:welcome"}', '{"type":"test:answer"}']);
    peer.say(spoil(page.sent[2] ?? ""));
    peer.say(page.sent[2] ?? "");
    expect([room.heard, peer.closed.map(({ why }) => why)]).toEqual([[], ["unreadable"]]);
    peer.caller.send('{"type":"test:late"}');
    expect([peer.frames, peer.clear]).toEqual([[], []]);
  }
});

test("SE25 when the link comes back the session is over: again, a new handshake, and old records are dropped", async () => {
  const room = world();
  const peer = room.come();
  const page = await shakeHands(room, peer);
  peer.say(page.sent[0] ?? "");
  page.session.send('{"type":"test:before"}');
  await expect.poll(() => page.sent.length).toBe(2);
  peer.frames.length = 0;
  room.hub.announce(peer.caller);
  expect([types(peer.frames), room.hub.isOpen(peer.caller)]).toEqual([[SealedFrame.again], false]);
  peer.say(page.sent[1] ?? "");
  room.hub.broadcast('{"type":"test:secret"}');
  expect([room.heard, peer.closed, peer.frames.length]).toEqual([[], [], 1]);
  const next = await shakeHands(room, peer);
  peer.say(next.sent[0] ?? "");
  expect([room.hub.isOpen(peer.caller), await next.pull()]).toEqual([
    true,
    ['{"type":"test:welcome"}'],
  ]);
});

test("SE25 a bridge that took over asks for a handshake, and again if the link is cut during it", async () => {
  const room = world();
  const peer = room.come(true);
  expect(types(peer.frames)).toEqual([SealedFrame.again]);
  const page = await shakeHands(room, peer);
  room.hub.announce(peer.caller);
  expect(types(peer.frames).at(-1)).toBe(SealedFrame.again);
  peer.say(page.sent[0] ?? "");
  expect([room.hub.isOpen(peer.caller), peer.closed]).toEqual([false, []]);
  const next = await shakeHands(room, peer);
  peer.say(next.sent[0] ?? "");
  expect(room.hub.isOpen(peer.caller)).toBe(true);
});

test("SE25 a page that is asked twice in a row is let in by its last hello", async () => {
  const room = world();
  const peer = room.come(true);
  const stale = await startPage(room.host.link);
  room.hub.announce(peer.caller);
  // One of the two may be waiting for its turn, or answered already.
  for (const isAnswered of [false, true]) {
    peer.say(stale.hello);
    if (isAnswered) room.runTurns();
  }
  const page = await shakeHands(room, peer);
  peer.say(page.sent[0] ?? "");
  expect([room.hub.isOpen(peer.caller), peer.closed]).toEqual([true, []]);
});

test("SE25 a page that had a session and stays silent is closed with 4400, to connect again", () => {
  const room = world();
  const peer = room.come(true);
  room.timers.at(-1)?.action();
  expect(peer.closed.map(({ why }) => why)).toEqual(["unreadable"]);
});

test("SE39 a message that is too long for a record is not sent, and the next one opens", async () => {
  const room = world();
  const peer = room.come();
  const page = await shakeHands(room, peer);
  peer.say(page.sent[0] ?? "");
  await page.pull();
  const faults: string[] = [];
  const restore = setFaultLog({ error: (message) => void faults.push(message) });
  const largest = "x".repeat(MAX_RECORD_DATA);
  for (const message of [`${largest}x`, largest, "next"]) peer.caller.send(message);
  restore();
  expect(await page.pull()).toEqual([largest, "next"]);
  expect([faults.length, peer.closed]).toEqual([1, []]);
});

test("SE26 handshakes are answered one per turn, and those beyond the budget come later", async () => {
  const room = world();
  const { hello } = await startPage(room.host.link);
  const peers = Array.from({ length: 201 }, () => room.come());
  for (const peer of peers) peer.say(hello);
  expect(peers.map(({ closed }) => closed[0]?.why).filter(Boolean)).toEqual(["full"]);
  expect(room.turns).toHaveLength(1);
  room.turns.shift()?.();
  room.turns.shift()?.();
  expect(peers.filter(({ frames }) => frames.length > 0)).toEqual(peers.slice(0, 2));
  expect(room.turns).toHaveLength(1);
});

test("SE26 the budget refills 20 a second, to 200", () => {
  let now = 0;
  const budget = new HandshakeBudget(() => now);
  const takeAll = () => {
    let count = 0;
    while (budget.tryTake()) count++;
    return count;
  };
  expect(takeAll()).toBe(200);
  now = 1_000;
  expect(takeAll()).toBe(20);
  now = 1_000_000;
  expect(takeAll()).toBe(200);
});

test("SE27 a handshake that fails says what to do", async () => {
  const room = world({ psk: "00".repeat(32) });
  const other = room.come();
  const { hello } = await startPage(room.host.link);
  other.say(hello);
  room.runTurns();
  expect(other.closed[0]?.message).toContain("ask the host for a new one");
  const old = room.come();
  const bytes = Buffer.from(hello.slice(1), "base64");
  bytes[0] = 9;
  old.say(`E${bytes.toString("base64")}`);
  room.runTurns();
  expect(old.closed[0]?.message).toContain("reload the page");
  expect(room.logged).toEqual([]);
});

test("SE31 of plain links only agents' and those made plain on purpose pass", () => {
  const verdict = (grant: Partial<Grant>) => {
    const { gate, live } = world({ psk: undefined, ...grant });
    const caller = callerWith(live, "people");
    return gate.check({ ...caller, door: { ...caller.door, proof: "ticket" } });
  };
  expect(verdict({ role: "edit" })).toMatchObject({ is: "refused", reason: { why: "sealed" } });
  expect(verdict({ role: "view", plain: true })).toEqual({ is: "passed" });
  expect(verdict({ role: "agent" })).toEqual({ is: "passed" });
});
