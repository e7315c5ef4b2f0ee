// Coding agents in the relay's room, with a fake link and host.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CloseCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { KiB, MAX_FRAME_PAYLOAD, MAX_MESSAGE_TO_AGENT, MiB } from "../../../protocol/limits.ts";
import { cutIntoPieces, PieceCollector } from "../../../protocol/link.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import { Hub } from "../../callers/hub.ts";
import type { AgentWire } from "../../conversations/agent-ports.ts";
import { GrantTable } from "../../grants/grant-table.ts";
import { createLog } from "../../log.ts";
import { WINDOW_BYTES, ReadProof } from "./agent-outbox.ts";
import { RelayAgents } from "./relay-acp-door.ts";

let folder = "";
let grants: GrantTable;
let hub: Hub;
beforeEach(() => {
  folder = mkdtempSync(joinPath(tmpdir(), "pp-relay-acp-"));
  grants = new GrantTable(joinPath(folder, "grants.json"));
  hub = new Hub(
    grants,
    createLog("silent", () => {}),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

function door() {
  const sent: { type: number; stream: number; flags: number; payload: Uint8Array }[] = [];
  const confirms: (() => void)[] = [];
  const wires: AgentWire[] = [];
  const gone: (string | undefined)[] = [];
  const agents = new RelayAgents({
    link: {
      send: (type, stream, payload = new Uint8Array(), flags = 0) =>
        void sent.push({ type, stream, flags, payload }),
      confirmed: () => new Promise((resolve) => confirms.push(resolve)),
    },
    grants,
    hub,
    host: {
      serve: (_caller, wire) => {
        wires.push(wire);
        return (why) => void gone.push(why);
      },
    },
    folder,
    log: createLog("silent", () => {}),
  });
  const mint = () =>
    grants.mint({
      role: "agent",
      scopes: ["read", "spawn"],
      label: "far",
      expiresAt: null,
      session: true,
      isolation: "sandbox",
    }).grant.id;
  const join = (number: number, grant = mint()) => {
    agents.onJoined(number, { grant, joinedAt: 5, door: "acp", subscriptions: [] });
    const wire = wires.at(-1) ?? expect.unreachable();
    return { grant, wire, writer: wire.stream.writable.getWriter() };
  };
  const say = (number: number, text: string) => {
    for (const { flags, payload } of cutIntoPieces(toBytes(text)))
      agents.onMessage(number, { flags, payload, isLate: false });
  };
  /** Confirms everything sent, as the room would. */
  const confirm = async () => {
    for (const resolve of confirms.splice(0)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const closes = () =>
    sent
      .filter(({ type }) => type === FrameType.peerClose)
      .map(({ stream, payload }) => ({ stream, ...JSON.parse(toText(payload)) }));
  /** Whole messages to one agent. */
  const received = (number: number) => {
    const pieces = new PieceCollector(64 * MiB);
    return sent
      .filter(({ type, stream }) => type === FrameType.peerSend && stream === number)
      .map(({ flags, payload }) => pieces.take(flags, payload))
      .flatMap((gathered) => (gathered.is === "whole" ? [toText(gathered.bytes)] : []));
  };
  return { agents, sent, gone, join, say, confirm, closes, received };
}

const call = (id: number, size = 0) =>
  ({ jsonrpc: "2.0", id, result: { text: "x".repeat(size) } }) as const;

test("AC121 an agent of the room is a caller with its grant's floor, and its end is told once", async () => {
  const { agents, join, say, gone, received } = door();
  const { wire, writer } = join(7);
  expect(wire).toMatchObject({ via: "socket", isolation: "sandbox", isLocal: false, folder });
  expect(hub.listAdmitted().map((caller) => [caller.door.name, caller.since])).toEqual([
    ["acp", 5],
  ]);
  await writer.write(call(1));
  expect(received(7)).toEqual([JSON.stringify(call(1))]);
  const reader = wire.stream.readable.getReader();
  const long = { jsonrpc: "2.0", method: "session/update", params: "ä".repeat(MAX_FRAME_PAYLOAD) };
  say(7, JSON.stringify(long));
  expect((await reader.read()).value).toEqual(long);
  agents.onLeft(7);
  agents.onLeft(7);
  expect((await reader.read()).done).toBe(true);
  expect(gone).toEqual([undefined]);
  expect(hub.listAdmitted()).toEqual([]);
});

test("AC50 U9 U1 AC121 an agent of the room is closed when its token is revoked, and its end says why", () => {
  const { agents, join, closes, gone } = door();
  const { grant } = join(7);
  join(8);
  grants.revoke(grant);
  expect(closes()).toMatchObject([{ stream: 7, code: CloseCode.unauthorized }]);
  agents.onLeft(7);
  expect(gone).toEqual([expect.stringContaining("revoked")]);
  expect(hub.listAdmitted()).toHaveLength(1);
});

test("AC41 AC112 nonsense is answered there, too, and much of it ends the socket with 4400", () => {
  const { join, say, closes, received } = door();
  join(7);
  for (let n = 0; n <= 20; n++) say(7, "hello?");
  expect(received(7)).toHaveLength(20);
  expect(closes()).toMatchObject([{ code: CloseCode.badMessage }]);
});

test("L21 a late message of an agent is not carried out: its socket ends, and it can come again", () => {
  const { agents, join, closes } = door();
  join(7);
  agents.onMessage(7, { flags: 0, payload: toBytes("{}"), isLate: true });
  expect(closes()).toMatchObject([{ stream: 7, code: CloseCode.tryLater }]);
});

test("AC123 pieces that were lost end their agent", () => {
  const { agents, join, closes } = door();
  join(7);
  agents.onMessage(7, { flags: 4, payload: new Uint8Array(3), isLate: false });
  expect(closes()).toMatchObject([{ stream: 7, code: CloseCode.internal }]);
});

test("AC122 no more than a window is under way, whatever is sent; short messages do not wait", async () => {
  const { join, sent, confirm, received } = door();
  const { writer } = join(7);
  const other = join(8);
  await writer.write(call(1, 2 * MiB));
  const bytes = () => sent.reduce((sum, { payload }) => sum + payload.length, 0);
  expect(bytes()).toBe(WINDOW_BYTES);
  await confirm();
  expect(bytes()).toBe(2 * WINDOW_BYTES);
  await other.writer.write(call(2));
  for (let n = 0; n < 20; n++) await confirm();
  expect(received(7)).toEqual([JSON.stringify(call(1, 2 * MiB))]);
  expect(received(8)).toEqual([JSON.stringify(call(2))]);
});

test("AC51 an answer of more than 8 MiB is answered as such, by its id", async () => {
  const { join, received } = door();
  const { writer } = join(7);
  await writer.write(call(3, MAX_MESSAGE_TO_AGENT));
  expect(received(7).map((text) => JSON.parse(text))).toMatchObject([
    { id: 3, error: { code: -32_603, message: expect.stringContaining("at most 8 MiB") } },
  ]);
});

test("AC53 what waits is dropped with the link, and every agent is told that it is gone", async () => {
  const { agents, join, sent, gone, confirm } = door();
  await join(7).writer.write(call(1, 2 * MiB));
  join(8);
  agents.onLinkLost();
  expect(gone).toEqual([undefined, undefined]);
  const before = sent.length;
  await confirm();
  expect(sent).toHaveLength(before);
  await join(9).writer.write(call(2));
  expect(sent).toHaveLength(before + 1);
});

test("AC54 an agent is asked after 4 MiB whether it reads, and closed after 16 without an answer", async () => {
  const { agents, join, say, received, closes, confirm } = door();
  const { wire, writer } = join(7);
  const fill = async (megabytes: number) => {
    for (let n = 0; n < megabytes; n++) {
      await writer.write(call(n, MiB));
      for (let turn = 0; turn < 5; turn++) await confirm();
    }
  };
  const asked = () => received(7).filter((text) => text.includes("_pairpty/read"));
  await wire.waitForDrain();
  await fill(4);
  expect(asked()).toHaveLength(1);
  let isDrained = false;
  const drained = wire.waitForDrain().then(() => (isDrained = true));
  const { id, method } = JSON.parse(asked()[0] ?? "");
  expect(method).toBe("_pairpty/read");
  // The agent's own messages prove nothing; the answer does, and is not passed on.
  say(7, JSON.stringify(call(1)));
  await confirm();
  expect(isDrained).toBe(false);
  say(7, JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "?" } }));
  await drained;
  await fill(4);
  expect(asked()).toHaveLength(2);
  await fill(11);
  expect(closes()).toEqual([]);
  await fill(2);
  expect(closes()[0]).toMatchObject({ stream: 7, code: CloseCode.tryLater });
  const last = wire.waitForDrain();
  agents.onLeft(7);
  await last;
  const reader = wire.stream.readable.getReader();
  expect((await reader.read()).value).toEqual(call(1));
});

test("AC54 many small messages count, too", () => {
  const reading = new ReadProof(() => "n");
  let asked = 0;
  while (reading.countSent(2) === undefined) asked += 1;
  expect(asked).toBeLessThan((4 * MiB) / 64);
  expect(reading.isAnswer(`{"id":"other"}`)).toBe(false);
  expect(reading.isAnswer(`{"id":"pairpty-read-n"}`)).toBe(true);
  expect(reading.countSent(100 * KiB)).toBeUndefined();
});

test("AC54 what waits for an agent has an end, too: a stalled link does not fill the bridge", async () => {
  const { join, closes } = door();
  const { writer } = join(7);
  for (let n = 0; n < 17; n++) await writer.write(call(n, MiB));
  expect(closes()[0]).toMatchObject({ stream: 7, code: CloseCode.tryLater });
});
