// Coding agents on this machine, over real sockets, with a fake host for conversations.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Approval } from "../../../protocol/approval.ts";
import { Hub } from "../../callers/hub.ts";
import type { AgentWire } from "../../conversations/agent-ports.ts";
import { LocalAgents } from "../../grants/local-agents.ts";
import { GrantTable } from "../../grants/grant-table.ts";
import type { LocalSocket } from "../../local/local-socket.ts";
import { createLog } from "../../log.ts";
import { createAcpDoor, SWEEP_AFTER_MS } from "./local-acp-door.ts";

let folder = "";
let door: LocalSocket;
let hub: Hub;
let grants: GrantTable;
let served: AgentWire[];
let happened: string[];
let ask: (approval: Approval) => void;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-acp-"));
  grants = new GrantTable(join(folder, "grants.json"));
  const log = createLog("silent", () => {});
  hub = new Hub(grants, log);
  served = [];
  happened = [];
  door = createAcpDoor({
    grants,
    agents: new LocalAgents(grants),
    hub,
    host: {
      serve: (caller, wire) => {
        served.push(wire);
        happened.push(`${caller.grant()?.label} came`);
        return (why) => void happened.push(`gone: ${why}`);
      },
    },
    folder,
    link: "http://127.0.0.1:1/w/room",
    onApprovalRequested: (listener) => {
      ask = listener;
      return () => void happened.push("asks nobody");
    },
    sweep: (mark) => void happened.push(`swept ${mark}`),
    log,
  });
  door.open(join(folder, "acp.sock"));
});
afterEach(() => {
  vi.useRealTimers();
  door.close();
  rmSync(folder, { recursive: true });
});

async function come(hello: object | string) {
  const socket: Socket = connect(join(folder, "acp.sock")).on("error", () => {});
  await once(socket, "connect");
  const text = typeof hello === "string" ? hello : JSON.stringify({ pairpty: hello });
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const closed = new Promise((resolve) => {
    socket.once("close", resolve);
  });
  socket.write(`${text}\n`);
  const next = async () => JSON.parse((await lines.next()).value ?? "null");
  return { socket, next, closed };
}

async function first(): Promise<AgentWire> {
  return await vi.waitFor(() => served[0] ?? expect.unreachable());
}

test("AC40 an agent comes in by its introduction, with a grant of its name; its end is told with why", async () => {
  const { socket } = await come({ name: "coder", folder: "/srv/x" });
  const wire = await first();
  expect(wire).toMatchObject({ via: "stdio", folder: "/srv/x", isolation: "none", isLocal: true });
  expect(grants.list()).toMatchObject([{ label: "coder", role: "agent", local: "coder" }]);
  expect(hub.listAdmitted().map((caller) => caller.door.name)).toEqual(["acp"]);
  socket.end(`{"pairpty":{"gone":"it exited with code 3"}}\n`);
  await vi.waitFor(() => expect(happened.at(-1)).toBe("gone: it exited with code 3"));
  expect(happened).toEqual(["coder came", "gone: it exited with code 3"]);
  expect(hub.listAdmitted()).toEqual([]);
  const reader = wire.stream.readable.getReader();
  expect((await reader.read()).done).toBe(true);
});

test("AC110 messages go both ways, and without words nothing else is said", async () => {
  const { socket, next } = await come({ name: "plain" });
  const wire = await first();
  expect(wire.folder).toBe(folder);
  expect([wire.onText, wire.onTurnEnded]).toEqual([undefined, undefined]);
  const writer = wire.stream.writable.getWriter();
  await writer.write({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} });
  socket.write(`{"jsonrpc":"2.0","id":0,`);
  socket.write(`"result":{"protocolVersion":1}}\nnonsense\n`);
  const reader = wire.stream.readable.getReader();
  expect((await reader.read()).value).toMatchObject({ id: 0, result: { protocolVersion: 1 } });
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  socket.destroy();
});

test("AC110 who asks for words hears where it is, the text, what people are asked, the turn's end and why it is closed", async () => {
  const { next, closed } = await come({ name: "verb", words: true, prompt: "do it" });
  const wire = await first();
  expect(wire.prompt).toBe("do it");
  wire.onText?.("Done.\n");
  const grant = grants.list()[0]?.id ?? "";
  const asked = { id: "a1", command: ["rm", "-r", "x"], agent: { grant, label: "verb" } };
  ask({ ...asked, agent: { grant: "other", label: "verb" } } as Approval);
  ask(asked as Approval);
  wire.onTurnEnded?.({ reason: "end_turn" });
  wire.close("somebody ended the conversation");
  const messages = [await next(), await next(), await next(), await next(), await next()];
  expect(messages).toEqual([
    { pairpty: { here: { link: "http://127.0.0.1:1/w/room" } } },
    { pairpty: { text: "Done.\n" } },
    { pairpty: { asks: { id: "a1", what: "rm -r x" } } },
    { pairpty: { turn: { reason: "end_turn" } } },
    { pairpty: { closed: "somebody ended the conversation" } },
  ]);
  await closed;
  await vi.waitFor(() => expect(happened).toContain("asks nobody"));
});

test("AC111 a first line that introduces no one is answered, and lets no one in", async () => {
  for (const hello of [
    "hello",
    `{"jsonrpc":"2.0","id":1,"method":"x"}`,
    `{"pairpty":{"folder":"relative"}}`,
    `{"pairpty":{"isolation":"moat"}}`,
  ]) {
    const { next, closed } = await come(hello);
    expect(await next()).toMatchObject({ error: { code: -32_600 } });
    await closed;
  }
  expect(served).toEqual([]);
  expect(grants.list()).toEqual([]);
});

test("AC118 behind a wall it is no code of this machine's user, and does not reach our sockets", async () => {
  await come({ name: "walled", isolation: "sandbox" });
  expect(await first()).toMatchObject({ isolation: "sandbox", isLocal: false });
  expect(happened).toEqual(["walled came"]);
});

test("AC113 what carries its mark ends after its connection, though no one ended it", async () => {
  const mark = "0123456789abcdef".repeat(2);
  const { socket } = await come({ name: "marked", mark });
  await first();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  socket.destroy();
  while (hub.listAdmitted().length > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(happened.at(-1)).toBe("gone: undefined");
  vi.advanceTimersByTime(SWEEP_AFTER_MS);
  expect(happened.at(-1)).toBe(`swept ${mark}`);
});

test("AC42 an agent that does not read what it is sent is closed, and others go on", async () => {
  const { socket } = await come({ name: "deaf" });
  socket.pause();
  const wire = await first();
  const writer = wire.stream.writable.getWriter();
  const params = { text: "x".repeat(1 << 20) };
  await writer.write({ jsonrpc: "2.0", method: "m", params });
  const order: string[] = [];
  const drained = wire.waitForDrain().then(() => order.push(happened.at(-1) ?? ""));
  for (let n = 0; n < 40; n++) void writer.write({ jsonrpc: "2.0", method: "m", params });
  await vi.waitFor(
    () => expect(happened.at(-1)).toBe("gone: it does not read the messages sent to it"),
    {
      timeout: 5_000,
    },
  );
  await drained;
  expect(order).toEqual(["gone: it does not read the messages sent to it"]);
  await come({ name: "other" });
  await vi.waitFor(() => expect(served).toHaveLength(2));
});

test("AC42 a line that never ends costs its connection", async () => {
  const { socket, closed } = await come({ name: "endless" });
  await first();
  const piece = Buffer.alloc(1 << 20, "x");
  for (let n = 0; n < 9; n++) socket.write(piece);
  await closed;
  await vi.waitFor(() => expect(happened.at(-1)).toBe("gone: it sent a line of more than 8 MiB"));
});

test("AC42 who sends such a line hears why, and what it still sends is no error to it before that", async () => {
  const socket = connect({ path: join(folder, "acp.sock"), allowHalfOpen: true });
  const errors: unknown[] = [];
  socket.on("error", (error) => errors.push(error));
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  socket.write(`{"pairpty":{"name":"endless","words":true}}\n`);
  expect((await lines.next()).value).toContain("here");
  socket.write(Buffer.alloc(9 << 20, "x"));
  const closed = { pairpty: { closed: "it sent a line of more than 8 MiB" } };
  expect((await lines.next()).value).toBe(JSON.stringify(closed));
  await new Promise((resolve) => {
    socket.write(Buffer.alloc(1 << 20, "x"), resolve);
  });
  expect(errors).toEqual([]);
  socket.end();
  await vi.waitFor(() => expect(happened.at(-1)).toBe("gone: it sent a line of more than 8 MiB"));
});
