import { once } from "node:events";
import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { pair } from "../../../test/support/socket-pair.ts";
import { SerialQueue } from "../../reading/serial-queue.ts";
import { serveMcp } from "./serve-mcp.ts";
import { toMessageStream, MAX_OPEN_REQUESTS, OpenRequests } from "./socket-messages.ts";

const MOST = 1 << 16;

const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });

test("M17 of floods of lines every message comes, in order, and others have their turn after each", async () => {
  const turns = new SerialQueue();
  const agents = [await pair(), await pair()];
  let count = 0;
  let most = 0;
  let before = 0;
  const turn = (): void => {
    most = Math.max(most, count - before);
    before = count;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  const ids = Array.from({ length: 2_500 }, (_, id) => id);
  const all = agents.map(async ({ agent, socket }) => {
    const received: number[] = [];
    const lines = createInterface({ input: toMessageStream(socket, MOST, turns) });
    lines.on("line", (line) => {
      count += 1;
      received.push(JSON.parse(line).id);
    });
    agent.end(`${"\n".repeat(50_000)}${ids.map((id) => `${ping(id)}\n`).join("")}`);
    await once(lines, "close");
    return received;
  });
  expect(await Promise.all(all)).toEqual([ids, ids]);
  clearImmediate(timer);
  expect(most).toBe(1);
});

test("M31 an agent that does not read its answers is not read further, until it does", async () => {
  const { agent, socket } = await pair();
  agent.pause();
  const received: string[] = [];
  const text = "x".repeat(1 << 16);
  createInterface({ input: toMessageStream(socket, MOST, new SerialQueue()) }).on(
    "line",
    (line) => {
      received.push(line);
      socket.write(text);
    },
  );
  agent.write(`${ping(1)}\n`.repeat(1_000));
  await expect.poll(() => received.length).toBeGreaterThan(0);
  // Enough turns for all the others.
  for (let turn = 0; turn < 500; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(received.length).toBeLessThanOrEqual(128);
  agent.resume();
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1_000);
});

test("M23 what is no message is answered, and goes no further; a line without an end is the end", async () => {
  const { agent, socket } = await pair();
  const received: string[] = [];
  createInterface({ input: toMessageStream(socket, MOST, new SerialQueue()) }).on("line", (line) =>
    received.push(line),
  );
  const answers = createInterface({ input: agent });
  const sent: unknown[] = [];
  answers.on("line", (line) => sent.push(JSON.parse(line)));
  agent.write(`{\n\n{"id":7,"method":3}\n${ping(1)}\n`);
  await expect.poll(() => received).toEqual([ping(1)]);
  await expect
    .poll(() => sent)
    .toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: 7, error: { code: -32600 } },
    ]);
  agent.write("x".repeat(2 * MOST));
  await once(answers, "close");
  expect(socket.destroyed).toBe(true);
});

const CALLER = callerWith(createGrant("aaaaaaaaaa"));
const request = (id: number | string) => ({ jsonrpc: "2.0", id, method: "tools/call" }) as const;
const cancelled = (requestId: number) =>
  ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } }) as const;

test("M19 of one agent 64 requests are under way; the next one begins when one is answered or cancelled", () => {
  const underWay = new OpenRequests();
  for (let id = 0; id < MAX_OPEN_REQUESTS; id++)
    expect(underWay.onReceived(request(id))).toBeUndefined();
  const refused = { id: "next", message: "64 requests are open; wait for one to end" };
  expect(underWay.onReceived(request("next"))).toMatchObject(refused);
  // Messages that are not requests are always accepted, and free no slot.
  expect(underWay.onReceived({ jsonrpc: "2.0", id: 1, result: {} })).toBeUndefined();
  expect(underWay.onReceived(cancelled(99))).toBeUndefined();
  underWay.onSent({ jsonrpc: "2.0", id: 2, method: "elicitation/create" });
  expect(underWay.onReceived(request("next"))).toMatchObject(refused);
  underWay.onSent({ jsonrpc: "2.0", id: 3, result: {} });
  expect(underWay.onReceived(request("next"))).toBeUndefined();
  expect(underWay.onReceived(request("last"))).toBeDefined();
  expect(underWay.onReceived(cancelled(4))).toBeUndefined();
  expect(underWay.onReceived(request("last"))).toBeUndefined();
});

test("M12 M19 a local agent's second request with the id of one under way is refused, and frees nothing", () => {
  const underWay = new OpenRequests();
  underWay.onReceived(request(1));
  expect(underWay.onReceived(request(1))).toMatchObject({ id: 1, code: -32_600 });
  expect(underWay.onReceived(request("1"))).toBeUndefined();
  underWay.onSent({ jsonrpc: "2.0", id: 1, error: { code: -32_603, message: "" } });
  expect(underWay.onReceived(request(1))).toBeUndefined();
});

test("M19 the bridge serves on when an answer has made room", async () => {
  const { agent, socket } = await pair();
  const waiting: (() => void)[] = [];
  const server = new McpServer({ name: "here", version: "1" });
  server.registerTool("wait", {}, async () => {
    await new Promise<void>((resolve) => void waiting.push(resolve));
    return { content: [] };
  });
  serveMcp(socket, CALLER, { createServer: () => server }, new SerialQueue());
  const received: { id: unknown; error?: { message: string } }[] = [];
  createInterface({ input: agent }).on("line", (line) => received.push(JSON.parse(line)));
  const say = (id: number, method: string, params: object) =>
    agent.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const clientInfo = { name: "editor", version: "1" };
  say(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await expect.poll(() => received).toHaveLength(1);
  const call = (id: number) => say(id, "tools/call", { name: "wait", arguments: {} });
  for (let id = 1; id <= MAX_OPEN_REQUESTS + 1; id++) call(id);
  await expect.poll(() => received.slice(1)).toMatchObject([{ id: 65, error: { code: -32_000 } }]);
  waiting.shift()?.();
  await expect.poll(() => received.slice(2)).toMatchObject([{ id: 1, result: {} }]);
  call(66);
  await expect.poll(() => waiting).toHaveLength(MAX_OPEN_REQUESTS);
});
