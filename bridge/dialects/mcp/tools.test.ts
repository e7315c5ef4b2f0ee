// The tools' inputs as an SDK client sees them. Nothing runs behind them.

import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { INTERNAL_ERROR } from "../../faults.ts";
import { createLog } from "../../log.ts";
import { auditRequests, refuseInheritedNames } from "./request-audit.ts";
import { registerResources } from "./resources.ts";
import { killInput, promoteInput, readInput, spawnInput } from "./terminal-schemas.ts";
import { terminalTools } from "./tools/terminal-tools.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";

async function createClient(server: McpServer): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

test("M13 a name that every object has is no tool", async () => {
  const server = new McpServer({ name: "test", version: "1" });
  refuseInheritedNames(server);
  server.registerTool("own", { inputSchema: z.object({}) }, () => ({ content: [] }));
  const client = await createClient(server);
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
  [
    "spawn_…",
    spawnInput,
    { cwd: ".", command: ["ls"] },
    { env: {} },
    "cwd, command, isolation, requestKey",
  ],
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

const fails = () => {
  throw new TypeError("a bug of the service");
};

test("S46 a fault of ours is one call's error and a line of the log, for tools and resources", async () => {
  const lines: string[] = [];
  const written: object[] = [];
  const server = new McpServer({ name: "test", version: "1" });
  const caller = callerWith(createGrant("aaaaaaaaaa"));
  const agents = {
    list: () => [],
    listPrograms: () => new Map(),
    read: fails,
    readScreen: fails,
    spawn: fails,
    promote: fails,
    kill: fails,
  };
  const context = {
    caller,
    audit: { write: (entry: object) => void written.push(entry) },
    log: createLog("error", (line) => lines.push(line)),
  };
  auditRequests(server, context);
  for (const row of terminalTools(agents)) row.register(server, context);
  registerResources(server, caller, agents);
  const client = await createClient(server);
  const calls: [string, object][] = [
    ["read_terminal", { terminalId }],
    ["spawn_background_terminal", { cwd: ".", command: ["ls"] }],
    ["promote_terminal", { terminalId }],
    ["kill_terminal", { terminalId }],
  ];
  for (const [name, args] of calls) {
    const result = await client.callTool({ name, arguments: { ...args } });
    expect(result, name).toMatchObject({ isError: true, content: [{ text: INTERNAL_ERROR }] });
  }
  const uris = ["terminal://a", "terminal://a/screen"];
  for (const uri of uris) {
    await expect(client.readResource({ uri })).rejects.toThrow(INTERNAL_ERROR);
  }
  const faults = lines.filter((line) => line.includes("a bug of the service"));
  expect(faults).toHaveLength(calls.length + uris.length);
  expect(written).toHaveLength(calls.length + uris.length);
  expect(await client.callTool({ name: "list_terminals", arguments: {} })).toMatchObject({
    structuredContent: { terminals: [] },
  });
});
