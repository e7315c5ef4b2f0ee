// Sessions of the 2025 wires, with a server whose one tool waits until it is released.

import { McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { LegacySessions } from "./legacy-sessions.ts";

const GRANT = "aaaaaaaaaa";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

class World {
  /** Ends the sessions' callers. */
  readonly ends: (() => void)[] = [];
  /** Grants whose client ended its session. */
  readonly deleted: string[] = [];
  readonly #sessions = new LegacySessions({
    openCaller: (id, end) => {
      this.ends.push(end);
      const leave = () => void this.ends.splice(this.ends.indexOf(end), 1);
      return { caller: callerWith(createGrant(id)), leave };
    },
    createServer: () => this.#server(),
    onDeleted: ({ grantId }) => void this.deleted.push(grantId),
  });
  readonly #waiting: ((text: string) => void)[] = [];
  readonly #started: (() => void)[] = [];
  #session = "";

  #server(): McpServer {
    const server = new McpServer({ name: "test", version: "1" });
    const config = { inputSchema: z.object({}) };
    server.registerTool("wait", config, async () => {
      const text = await new Promise<string>((resolve) => {
        this.#waiting.push(resolve);
        this.#started.shift()?.();
      });
      return { content: [{ type: "text", text }] };
    });
    return server;
  }

  post(body: unknown): Promise<Response> {
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(this.#session === "" ? {} : { "mcp-session-id": this.#session }),
    };
    const request = new Request("http://bridge/mcp", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return this.#sessions.handle(request, callerWith(createGrant(GRANT), "http"));
  }

  async delete(): Promise<void> {
    const headers = { "mcp-session-id": this.#session };
    const request = new Request("http://bridge/mcp", { method: "DELETE", headers });
    await this.#sessions.handle(request, callerWith(createGrant(GRANT), "http"));
  }

  async begin(): Promise<void> {
    const answer = await this.post(INITIALIZE);
    this.#session = answer.headers.get("mcp-session-id") ?? "";
    await answer.text();
  }

  /** Resolves when the tool runs, with the answer that waits for it. */
  async call(id: number | string): Promise<Response> {
    const started = new Promise<void>((resolve) => this.#started.push(resolve));
    const answer = await this.post(waitCall(id));
    await started;
    return answer;
  }

  cancel(requestId: number): Promise<Response> {
    return this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }

  /** Releases the oldest call. */
  answer(text: string): void {
    this.#waiting.shift()?.(text);
  }
}

function waitCall(id: number | string): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait", arguments: {} } };
}

test("M12 the second of two requests with one id is refused at once, and the first is answered", async () => {
  const world = new World();
  await world.begin();
  const first = await world.call(7);
  const second = await world.post(waitCall(7));
  expect(second.status).toBe(400);
  expect(await second.json()).toMatchObject({
    jsonrpc: "2.0",
    id: 7,
    error: { code: -32_600, message: expect.stringContaining("7") },
  });
  const other = await world.call("7");
  world.answer("first");
  world.answer("other");
  expect(await first.text()).toContain('"first"');
  expect(await other.text()).toContain('"other"');
});

test("M12 M27 an id is free again once its request was answered, refused or cancelled", async () => {
  const world = new World();
  await world.begin();
  const first = await world.call(7);
  world.answer("one");
  expect(await first.text()).toContain('"one"');
  const again = await world.call(7);
  expect((await world.cancel(7)).status).toBe(202);
  // Its stream ends without an answer, and it must not count as open.
  expect(await again.text()).not.toContain("result");
  const third = await world.call(7);
  world.answer("of the cancelled one");
  world.answer("three");
  expect(await third.text()).toContain('"three"');
});

test("M12 an id that comes twice in one batch is refused", async () => {
  const world = new World();
  await world.begin();
  const batch = await world.post([waitCall(8), waitCall(8)]);
  expect(batch.status).toBe(400);
  expect(await batch.json()).toMatchObject({ error: { code: -32_600 } });
  const alone = await world.call(8);
  world.answer("alone");
  expect(await alone.text()).toContain('"alone"');
});

test("M12 a request that the transport refuses keeps no id", async () => {
  const world = new World();
  await world.begin();
  expect((await world.post({ ...INITIALIZE, id: 9 })).status).toBe(400);
  const after = await world.call(9);
  world.answer("after");
  expect(await after.text()).toContain('"after"');
});

test("U1 a session whose grant has ended is over, and its client is told that it is unknown", async () => {
  const world = new World();
  await world.begin();
  expect(world.ends).toHaveLength(1);
  world.ends[0]?.();
  expect((await world.post(waitCall(3))).status).toBe(404);
  expect(world.ends).toEqual([]);
});

test("Y94 a DELETE ends an MCP session and what was started through it; leaving does not", async () => {
  const [left, deleted] = [new World(), new World()];
  await left.begin();
  left.ends[0]?.();
  expect(left.deleted).toEqual([]);
  await deleted.begin();
  await deleted.delete();
  expect(deleted.deleted).toEqual([GRANT]);
});
