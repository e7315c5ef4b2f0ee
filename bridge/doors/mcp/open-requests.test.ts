import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { pair } from "../../../test/support/socket-pair.ts";
import { SerialQueue } from "../../reading/serial-queue.ts";
import { serveMcp } from "./serve-mcp.ts";
import { MAX_OPEN_REQUESTS, OpenRequests } from "./open-requests.ts";

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
