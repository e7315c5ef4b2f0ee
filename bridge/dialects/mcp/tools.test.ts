// What the tools take, as a client of the SDK's own sees it. Nothing runs behind them.

import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { refuseInheritedNames } from "./handlers.ts";
import { killInput, promoteInput, readInput, spawnInput } from "./schemas.ts";

async function clientOf(server: McpServer): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

test("M13 a name that every object has is no tool", async () => {
  const server = new McpServer({ name: "test", version: "1" });
  refuseInheritedNames(server);
  server.registerTool("own", { inputSchema: z.object({}) }, () => ({ content: [] }));
  const client = await clientOf(server);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "no_such"]) {
    const call = client.callTool({ name, arguments: {} });
    await expect(call, name).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`Tool ${name} not found`),
    });
  }
  expect(await client.callTool({ name: "own", arguments: {} })).toMatchObject({ content: [] });
});

const terminalId = "term-1";

test.each([
  ["read_terminal", readInput, { terminalId }, { follow: true }, "terminalId, offset, maxBytes"],
  ["waitFor", readInput, { terminalId, waitFor: { exit: true, text: "x" } }, {}, "exit, idleMs"],
  ["spawn_…", spawnInput, { cwd: ".", command: ["ls"] }, { env: {} }, "cwd, command, requestKey"],
  ["promote_terminal", promoteInput, { terminalId }, { id: "x" }, "terminalId"],
  ["kill_terminal", killInput, { terminalId }, { signal: "KILL" }, "terminalId"],
])("M14 %s refuses a field that it does not know, and names those that it does", (...given) => {
  const [, schema, good, more, known] = given;
  const result = schema.safeParse({ ...good, ...more });
  const [issue] = result.error?.issues ?? [];
  expect(issue?.message).toContain(`Known are: ${known}`);
  const [field = "text"] = Object.keys(more);
  expect(issue?.message).toContain(`Unknown: ${field}.`);
});
