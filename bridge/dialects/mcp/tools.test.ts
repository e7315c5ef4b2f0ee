// The rows of all tools as an SDK client sees them; what is true of every tool is asked of every row.

import { Client } from "@modelcontextprotocol/client";
import { InMemoryTransport, McpServer } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import * as z from "zod";
import { AgentPanels } from "../../agents/agent-panels.ts";
import { AgentTerminals } from "../../agents/agent-terminals.ts";
import { NOT_FOUND } from "../../agents/not-found.ts";
import { INTERNAL_ERROR } from "../../faults.ts";
import { createLog } from "../../log.ts";
import type { Meta } from "../../terminals/terminal.ts";
import { auditRequests, refuseInheritedNames } from "./request-audit.ts";
import { registerResources } from "./resources.ts";
import { panelTools } from "./tools/panel-tools.ts";
import { sessionTools } from "./tools/session-tools.ts";
import { terminalTools } from "./tools/terminal-tools.ts";
import { callerWith, createGrant } from "../../../test/support/caller.ts";
import { PERMIT } from "../../../test/support/permit.ts";
import { poolTerminal } from "../../../test/support/pool-terminal.ts";
import { TOOLS } from "../../../test/support/tool-names.ts";

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

interface Field {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Field>>;
}

interface ListedTool {
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** The shortest valid arguments. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Stands for a service that no test reaches. */
const unused = {} as never;

interface Services {
  readonly terminals: Parameters<typeof terminalTools>[0];
  readonly sessions: Parameters<typeof sessionTools>[0];
  readonly panels: Parameters<typeof panelTools>[0];
}

const listRows = ({ terminals, sessions, panels }: Services) => [
  ...terminalTools(terminals),
  ...sessionTools(sessions),
  ...panelTools(panels),
];

const NO_SERVICES: Services = { terminals: unused, sessions: unused, panels: unused };

const SCOPES = ["read", "spawn", "type"] as const;

/** Serves the rows of all tools over these services, to an agent with all scopes. */
async function serve(services: Services) {
  const lines: string[] = [];
  const written: object[] = [];
  const server = new McpServer({ name: "test", version: "1" });
  const caller = callerWith(createGrant("aaaaaaaaaa", { scopes: [...SCOPES] }));
  const context = {
    caller,
    audit: { write: (entry: object) => void written.push(entry) },
    log: createLog("error", (line) => lines.push(line)),
  };
  auditRequests(server, context);
  for (const row of listRows(services)) row.register(server, context);
  const connect = () => createClient(server);
  const listTools = async (client: Client): Promise<ListedTool[]> =>
    (await client.listTools()).tools.map(({ name, inputSchema }) => {
      const { properties = {}, required = [] } = inputSchema as {
        properties?: Record<string, Field>;
        required?: string[];
      };
      const toValue = (field: string) => (properties[field]?.type === "array" ? ["ls"] : "x");
      const args = Object.fromEntries(required.map((field) => [field, toValue(field)]));
      return { name, fields: properties, args };
    });
  return { server, caller, lines, written, connect, listTools };
}

const getText = (result: unknown) =>
  (result as { content: { text?: string }[] }).content.map(({ text }) => text).join("\n");

test("M3 the rows are those that tests expect, with their sets and scopes", () => {
  const rows = listRows(NO_SERVICES).map(({ name, set, scope }) => ({ name, set, scope }));
  expect(rows).toEqual(TOOLS);
});

test("M14 every tool with arguments refuses a field that it does not know, and names those that it does", async () => {
  const { connect, listTools } = await serve(NO_SERVICES);
  const client = await connect();
  const refused: string[] = [];
  const refuses = async (name: string, args: object, fields: object) => {
    const text = getText(await client.callTool({ name, arguments: { ...args } }));
    expect(text, name).toContain(`Unknown: nonsense. Known are: ${Object.keys(fields).join(", ")}`);
    refused.push(name);
  };
  for (const { name, fields, args } of await listTools(client)) {
    if (Object.keys(fields).length === 0) continue;
    await refuses(name, { ...args, nonsense: 1 }, fields);
    for (const [field, { properties }] of Object.entries(fields)) {
      if (properties === undefined) continue;
      await refuses(name, { ...args, [field]: { nonsense: 1 } }, properties);
    }
  }
  expect(
    refused.filter((name) => name === "read_terminal"),
    "waitFor too",
  ).toHaveLength(2);
});

const OWN = { cwd: "/", owner: "agent", visible: false, createdAt: 0 } as const;

/** The real services of one terminal, which belongs to the agent, and what was done with it. */
function servicesOver(more: Partial<Meta>) {
  const startedBy = { grant: "aaaaaaaaaa", label: "" };
  const terminal = poolTerminal({ meta: { ...OWN, startedBy, ...more } });
  const done: string[] = [];
  const view = async () => {
    done.push("drawn");
    const cursor = { x: 0, y: 0 };
    const facts = { cols: 10, rows: 1, cursor, bufferType: "normal", title: "" } as const;
    return { ...facts, lines: ["secret"], wrapped: [false], offset: 6, timestamp: 0 };
  };
  const noPanel = () => {
    throw new Error("there are no panels here");
  };
  const terminals = new AgentTerminals({
    pool: {
      get: () => terminal,
      running: () => [terminal],
      promote: () => void done.push("promoted"),
      close: async () => void done.push("closed"),
      fetch: async (_terminal, _from, _most, accept) => {
        done.push("read");
        return accept({ offset: 0, bytes: Buffer.from("secret") });
      },
      watch: () => () => {},
    },
    screens: { view },
    pipeline: { run: async () => ({ ok: false, error: "nobody spawns here" }) },
    findProgram: () => "",
  });
  const panels = new AgentPanels({
    pool: { get: () => terminal, input: () => void done.push("typed") },
    output: { watch: () => () => {} },
    panels: { find: noPanel, readScreen: noPanel, markUsed: () => {} },
    screens: { view, picture: async () => Buffer.from("png") },
    typing: { requestPermit: async () => ({ ok: true, value: PERMIT }) },
    findSession: () => undefined,
    findSubject: () => undefined,
    wantsApplicationKeys: async () => false,
    getFloor: () => "none",
  });
  return { terminal, done, services: { terminals, panels, sessions: unused } };
}

/** Calls every tool that takes a terminal's id; returns the answers by tool. */
async function callAll(services: Services, id: string, isRevoked = false) {
  const { caller, connect, listTools } = await serve(services);
  const client = await connect();
  const tools = (await listTools(client)).filter(({ fields }) =>
    Object.hasOwn(fields, "terminalId"),
  );
  if (isRevoked) caller.revoke();
  const answers = new Map<string, string>();
  for (const { name, args } of tools) {
    const given = { ...args, terminalId: id };
    const call = client.callTool({ name, arguments: given });
    answers.set(name, await call.then(getText, String));
  }
  return answers;
}

test("U6 a private terminal is not found by any tool that takes a terminal's id", async () => {
  const open = servicesOver({});
  const seen = await callAll(open.services, open.terminal.id);
  for (const [name, text] of seen) expect(text, `${name} without privacy`).not.toBe(NOT_FOUND);
  expect(open.done).not.toEqual([]);
  const hidden = servicesOver({ private: true });
  const { id } = hidden.terminal;
  const answers = await callAll(hidden.services, id);
  // Killing one that is gone is fine.
  const killed = JSON.stringify({ terminated: true, id });
  for (const [name, text] of answers)
    expect(text, name).toBe(name === "kill_terminal" ? killed : NOT_FOUND);
  expect(hidden.done).toEqual([]);
});

test("U1 a revoked grant reaches no terminal with any tool", async () => {
  const { terminal, done, services } = servicesOver({});
  const answers = await callAll(services, terminal.id, true);
  for (const [name, text] of answers) expect(text, name).toContain("expired or was revoked");
  expect(done).toEqual([]);
});

test("S46 a fault of ours is one call's error and a line of the log, for every tool and resource", async () => {
  let isBroken = true;
  const fails = () => {
    throw new TypeError("a bug of the service");
  };
  const working: object = { list: () => [], listPrograms: () => new Map() };
  const service = new Proxy(working, {
    get: (target, name) => (isBroken ? fails : Reflect.get(target, name)),
  }) as never;
  const services = { terminals: service, sessions: service, panels: service };
  const { server, caller, lines, written, connect, listTools } = await serve(services);
  registerResources(server, caller, service);
  const client = await connect();
  const tools = await listTools(client);
  for (const { name, args } of tools) {
    const result = await client.callTool({ name, arguments: { ...args } });
    expect(result, name).toMatchObject({ isError: true, content: [{ text: INTERNAL_ERROR }] });
  }
  const uris = ["terminal://a", "terminal://a/screen"];
  for (const uri of uris) {
    await expect(client.readResource({ uri })).rejects.toThrow(INTERNAL_ERROR);
  }
  const faults = lines.filter((line) => line.includes("a bug of the service"));
  expect(faults).toHaveLength(tools.length + uris.length);
  expect(written).toHaveLength(tools.length + uris.length);
  isBroken = false;
  expect(await client.callTool({ name: "list_terminals", arguments: {} })).toMatchObject({
    structuredContent: { terminals: [] },
  });
});
