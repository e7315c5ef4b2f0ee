// Agents through the relay, with real clients of both wires.

import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { symlinkSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../../bridge/doors/control/client.ts";
import { processesOf } from "../support/processes.ts";
import { CLI, Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { SeedClient } from "../support/seed-client.ts";
import { within } from "../support/waiting.ts";

// Agents may spawn three a minute: those of six tests are spread over two.
let place: Place;
let product: Product;
let beside: Place;
let neighbour: Product;
/** With settings for agents, and in a folder that holds pairpty's own, as a home does. */
let settled: Place;
let strict: Product;

beforeAll(async () => {
  place = new Place();
  beside = new Place();
  settled = new Place({
    NPM_TOKEN: "hunter2secret",
    FAVOURITE: "teal",
    AWS_REGION: "eu-west-1",
  });
  const settings = ["--agent-root", "/usr", "--agent-env", "AWS_REGION", "--agent-idle", "2s"];
  [product, neighbour, strict] = await Promise.all([
    place.start(),
    beside.start(),
    settled.start("--cwd", settled.root, ...settings),
  ]);
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  await beside[Symbol.asyncDispose]();
  await settled[Symbol.asyncDispose]();
});

interface Result {
  readonly content: { type: string; text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

interface Agent {
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  tools(): Promise<{ name: string; description?: string; annotations?: object }[]>;
  resources(): Promise<{ uri: string }[]>;
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
}

async function mint(where: Place, ...flags: string[]): Promise<{ token: string; id: string }> {
  const made = await where.run(["share", "--role", "agent", "--json", ...where.code, ...flags]);
  const { token, grant } = JSON.parse(made.stdout);
  return { token, id: grant.id };
}

const header = (token: string) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
});

async function older(bridge: Product, token: string): Promise<Agent> {
  const client = new OlderClient({ name: "older", version: "1" });
  await client.connect(new OlderTransport(new URL(bridge.ready.endpoints.mcp), header(token)));
  return wrap(client as never);
}

async function modern(bridge: Product, token: string): Promise<Agent> {
  const client = new ModernClient({ name: "modern", version: "1" });
  await client.connect(new ModernTransport(new URL(bridge.ready.endpoints.mcp), header(token)));
  return wrap(client as never);
}

interface AnyClient {
  callTool(call: { name: string; arguments: object }): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(request: { uri: string }): Promise<{ contents: { text?: string }[] }>;
  close(): Promise<void>;
}

function wrap(client: AnyClient): Agent {
  return {
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result,
    tools: async () => (await client.listTools()).tools,
    resources: async () => (await client.listResources()).resources,
    readResource: async (uri) => (await client.readResource({ uri })).contents[0]?.text ?? "",
    close: () => client.close(),
  };
}

const textOf = (result: Result) => result.content[0]?.text ?? "";
const jsonOf = (result: Result) => JSON.parse(textOf(result));

/** The seed's way through all five tools. */
async function goThrough(agent: Agent, folder: string): Promise<void> {
  const tools = await agent.tools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    "bash",
    "kill_terminal",
    "list_terminals",
    "promote_terminal",
    "read_terminal",
    "spawn_background_terminal",
    "terminal_continue",
    "terminal_list",
    "terminal_read_screen",
    "terminal_start",
    "terminal_stop",
  ]);
  const spawned = await agent.call("spawn_background_terminal", {
    cwd: folder,
    command: ["node", "-e", "console.log('up and running'); setInterval(() => {}, 1000)"],
  });
  expect(spawned.isError, textOf(spawned)).not.toBe(true);
  const terminal = jsonOf(spawned);
  expect(Object.keys(terminal)).toEqual(["id", "cwd", "owner", "visible", "createdAt", "command"]);
  expect(terminal).toMatchObject({ owner: "agent", visible: false });
  const { id } = terminal;

  expect(jsonOf(await agent.call("list_terminals"))).toContainEqual(terminal);
  const read = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "up and running" },
    timeoutMs: 20_000,
  });
  expect(jsonOf(read)).toEqual({ terminalId: id, history: "up and running\n" });
  expect(read.structuredContent).toMatchObject({ offset: 0, exit: null, waited: "pattern" });
  expect((await agent.resources()).map(({ uri }) => uri)).toContain(`terminal://${id}`);
  expect(await agent.readResource(`terminal://${id}`)).toBe("up and running\n");
  const screen = JSON.parse(await agent.readResource(`terminal://${id}/screen`));
  expect(screen).toMatchObject({
    cols: 80,
    rows: 24,
    cursor: { x: 0, y: 1 },
    bufferType: "normal",
  });
  expect(screen.lines[0]).toBe("up and running");

  const promoted = await agent.call("promote_terminal", { terminalId: id });
  expect(jsonOf(promoted)).toEqual({ ...terminal, owner: "user", visible: true });
  const refused = await agent.call("kill_terminal", { terminalId: id });
  expect([refused.isError, textOf(refused)]).toEqual([
    true,
    "Cannot kill visible or user-owned terminals",
  ]);
  expect((await product.http(`/pty/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(jsonOf(await agent.call("kill_terminal", { terminalId: id }))).toEqual({
    terminated: true,
    id,
  });
}

describe("real clients do list, spawn, read, promote and kill through the relay", () => {
  test("M1 the v1 client of the SDK", async () => {
    const agent = await older(product, product.ready.tokens.agent);
    await goThrough(agent, place.folder);
    await agent.close();
  });

  test("M1 the v2 client of the SDK", async () => {
    const agent = await modern(product, product.ready.tokens.agent);
    await goThrough(agent, place.folder);
    await agent.close();
  });

  test("M2 a local agent by stdio: pairpty mcp", async () => {
    const client = new OlderClient({ name: "local", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(process.cwd(), "dist", "bridge", "cli.js"), "mcp"],
      cwd: place.folder,
      env: { ...process.env, ...place.environment } as Record<string, string>,
      stderr: "ignore",
    });
    await client.connect(transport);
    const agent = wrap(client as never);
    const spawned = await agent.call("spawn_background_terminal", {
      cwd: place.folder,
      command: ["node", "-e", "console.log(6 * 7)"],
    });
    const { id } = jsonOf(spawned);
    const read = await agent.call("read_terminal", { terminalId: id, waitFor: { exit: true } });
    expect(jsonOf(read).history).toBe("42\n");
    expect(read.structuredContent).toMatchObject({ exit: { exitCode: 0, signal: null } });
    await agent.close();
  });
});

test("M2 a local agent's line that is no message is answered as such, and the next is served", async () => {
  const socket = connect(join(place.runtimeFolder(), "mcp.sock"));
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  const say = async (...pieces: string[]) => {
    for (const piece of pieces) socket.write(piece);
    return JSON.parse((await within(answers.next(), "no answer")).value ?? "");
  };
  expect(await say("garb", "age\n")).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(await say('\n{"id":7}\n')).toMatchObject({ id: 7, error: { code: -32_600 } });
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "plain", version: "1" },
  };
  const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  expect(await say(hello.slice(0, 20), `${hello.slice(20)}\n`)).toMatchObject({
    id: 1,
    result: { serverInfo: { name: "pairpty" } },
  });
  socket.destroy();
});

describe("the rules hold for every way in", () => {
  test("A1 S1 S2 blocked, dangerous, rate and concurrency, with the seed's words", async () => {
    await using other = new Place();
    const fresh = await other.start();
    const agent = await modern(fresh, fresh.ready.tokens.agent);
    const spawn = (command: string[], cwd = other.folder) =>
      agent.call("spawn_background_terminal", { cwd, command });
    for (const command of [
      ["rm", "-rf", "x"],
      ["sh", "-c", "echo `id`"],
      ["pairpty", "share"],
    ]) {
      const result = await spawn(command);
      expect([result.isError, textOf(result)]).toEqual([
        true,
        "Command blocked for security reasons",
      ]);
    }
    expect(textOf(await spawn(["git", "reset", "--hard"]))).toMatch(/needs approval/);
    expect(textOf(await spawn(["ls"], "/etc"))).toMatch(/outside the shared folders/);
    expect(textOf(await spawn(["no-such-program-here"]))).toMatch(/Command not found/);
    const idle = ["node", "-e", "setInterval(() => {}, 1000)"];
    // Fifty agents at once, each with a grant of its own: exactly three get through, by the rate.
    const fifty = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const grant = await ask(join(other.runtimeFolder(), "bridge.sock"), {
          verb: "share",
          role: "agent",
          scopes: ["spawn"],
          label: `agent ${index}`,
          expiresInMs: 60_000,
          quietly: false,
        });
        return await modern(fresh, grant?.token ?? "");
      }),
    );
    const all = await Promise.all(
      fifty.map((one) =>
        one.call("spawn_background_terminal", { cwd: other.folder, command: idle }),
      ),
    );
    const made = all.filter(({ isError }) => isError !== true);
    expect(made.length).toBe(3);
    const limited = all.filter(({ isError }) => isError === true);
    for (const one of limited) {
      expect(textOf(one)).toBe("Spawn rate limit exceeded (max 3/minute)");
      expect(one.structuredContent?.["retryAfterMs"]).toBeGreaterThan(0);
    }
    await Promise.all(fifty.map((one) => one.close()));
    await agent.close();
  });

  test("S4 two agents cannot touch each other's terminals; reading is allowed", async () => {
    const ada = await older(neighbour, (await mint(beside)).token);
    const ben = await modern(neighbour, (await mint(beside)).token);
    const spawned = await ada.call("spawn_background_terminal", {
      cwd: beside.folder,
      command: ["node", "-e", "console.log('mine'); setInterval(() => {}, 1000)"],
    });
    const { id } = jsonOf(spawned);
    const killed = await ben.call("kill_terminal", { terminalId: id });
    expect([killed.isError, textOf(killed)]).toEqual([true, "Terminal belongs to another agent"]);
    const taken = await ben.call("promote_terminal", { terminalId: id });
    expect(textOf(taken)).toBe("Terminal belongs to another agent");
    const read = await ben.call("read_terminal", {
      terminalId: id,
      waitFor: { pattern: "mine" },
    });
    expect(jsonOf(read).history).toContain("mine");
    expect(jsonOf(await ada.call("kill_terminal", { terminalId: id }))).toEqual({
      terminated: true,
      id,
    });
    await Promise.all([ada.close(), ben.close()]);
  });

  test("S6 S12 an agent's child has no secrets, and the whole tree is gone after a kill", async () => {
    const agent = await modern(strict, strict.ready.tokens.agent);
    const spawned = await agent.call("spawn_background_terminal", {
      cwd: "/usr/bin",
      command: [
        "node",
        "-e",
        "console.log(JSON.stringify(process.env)); require('child_process').spawn('sleep', ['7654'], {detached: true}); setInterval(() => {}, 1000)",
      ],
    });
    const { id } = jsonOf(spawned);
    const read = await agent.call("read_terminal", { terminalId: id, waitFor: { pattern: "}" } });
    const { history } = jsonOf(read);
    expect(history).toContain("teal");
    expect(history).not.toContain("hunter2secret");
    expect(history).toContain("eu-west-1");
    await agent.call("kill_terminal", { terminalId: id });
    const left = processesOf(settled.root).filter((pid) => pid !== strict.pid);
    const sleeping = left.filter((pid) => settled.commandOf(pid).includes("7654"));
    expect(sleeping).toEqual([]);
    const audit = await settled.run(["audit", "--json", "--cwd", settled.root]);
    expect(audit.stdout).toContain("spawn_background_terminal");
    expect(audit.stdout).not.toContain("hunter2secret");
    await agent.close();
  });

  test("S11 an idle background terminal is closed, a promoted one is not; people are told of all", async () => {
    const { endpoints, tokens } = strict.ready;
    using person = await SeedClient.connect(endpoints.peer, tokens.view);
    const agent = await modern(strict, tokens.agent);
    const spawn = async () =>
      jsonOf(
        await agent.call("spawn_background_terminal", {
          cwd: settled.folder,
          command: ["node", "-e", "console.log('hello from afar'); setInterval(() => {}, 1000)"],
        }),
      ).id as string;
    const idle = await spawn();
    const kept = await spawn();
    await agent.call("promote_terminal", { terminalId: kept });
    const event = (name: string, id: string) =>
      person.message(
        (m) => m["event"] === name && (m["terminal"] as { id: string }).id === id,
        `${name} of ${id}`,
      );
    await event("created", idle);
    expect((await event("output", idle))["output"]).toContain("hello from afar");
    expect(await event("promoted", kept)).toMatchObject({
      terminal: { owner: "user", visible: true },
    });
    await event("closed", idle);
    expect(jsonOf(await agent.call("list_terminals"))).toMatchObject([{ id: kept }]);
    await agent.close();
  });

  test("S10 G5 the same request key gives the same terminal", async () => {
    const agent = await modern(neighbour, neighbour.ready.tokens.agent);
    const wish = {
      cwd: beside.folder,
      command: ["node", "-e", "setInterval(() => {}, 1000)"],
      requestKey: "once",
    };
    const [a, b] = await Promise.all([
      agent.call("spawn_background_terminal", wish),
      agent.call("spawn_background_terminal", wish),
    ]);
    expect(jsonOf(a).id).toBe(jsonOf(b).id);
    expect(jsonOf(await agent.call("list_terminals"))).toHaveLength(1);
    await agent.close();
  });
});

/** Resolves when the log of what agents did has this. */
async function logged(where: Place, words: string): Promise<void> {
  const log = where.spawn(CLI, ["audit", "--json", "--follow"]);
  let text = "";
  const came = new Promise<void>((resolve) => {
    log.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      if (text.includes(words)) resolve();
    });
  });
  try {
    await within(came, () => `the log has no ${words}: ${text}`);
  } finally {
    log.kill();
  }
}

describe("the way there", () => {
  test("M3 a read grant lists and reads, and does not see the other tools", async () => {
    const { token } = await mint(place, "--scopes", "read");
    const agent = await modern(product, token);
    expect((await agent.tools()).map(({ name }) => name).sort()).toEqual([
      "list_terminals",
      "read_terminal",
      "terminal_list",
      "terminal_read_screen",
    ]);
    await agent.close();
  });

  test("M3 a grant that names sets of tools is shown those, on both wires", async () => {
    const { token } = await mint(place, "--tools", "sessions");
    for (const come of [older, modern]) {
      const agent = await come(product, token);
      expect((await agent.tools()).map(({ name }) => name).sort()).toEqual([
        "bash",
        "terminal_continue",
        "terminal_list",
        "terminal_start",
        "terminal_stop",
      ]);
      const ran = await agent.call("bash", { command: "echo out; echo err >&2" });
      expect(ran.structuredContent).toMatchObject({
        exitCode: 0,
        stdout: "out\n",
        stderr: "err\n",
      });
      await agent.close();
    }
  });

  test("M13 M14 a name that is no tool and a field that none knows are said, on both wires", async () => {
    for (const come of [older, modern]) {
      const agent = await come(product, product.ready.tokens.agent);
      for (const name of ["__proto__", "constructor"]) {
        await expect(agent.call(name)).rejects.toThrow(`Tool ${name} not found`);
      }
      const waitFor = { exit: true, timeout: 5 };
      const refused = await agent.call("read_terminal", { terminalId: "term-1", waitFor });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).toContain("Unknown: timeout. Known are: exit, idleMs");
      await agent.close();
    }
  });

  test("M4 tools are described within 20 KB, with titles and all four hints", async () => {
    const { token } = await mint(place, "--scopes", "read,spawn,type");
    const agent = await modern(product, token);
    const tools = await agent.tools();
    expect(tools).toHaveLength(12);
    expect(JSON.stringify(tools).length).toBeLessThan(20_000);
    for (const tool of tools) {
      expect(tool).toHaveProperty("title");
      expect(tool).toHaveProperty("outputSchema");
      expect(Object.keys(tool.annotations ?? {}).sort()).toEqual([
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
        "readOnlyHint",
      ]);
    }
    await agent.close();
  });

  test("M5 401, 403, 404, 405, 415 where they belong", async () => {
    const { mcp } = product.ready.endpoints;
    const post = (headers: Record<string, string>, body = "{}") =>
      fetch(mcp, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
      });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const none = await post({});
    expect([none.status, none.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringMatching(/^Bearer/),
    ]);
    expect((await post(bearer(product.ready.tokens.edit))).status).toBe(403);
    const { agent } = product.ready.tokens;
    expect((await post({ ...bearer(agent), origin: "https://evil.example" })).status).toBe(403);
    expect(
      (
        await post(
          { ...bearer(agent), "mcp-session-id": "nobody" },
          '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        )
      ).status,
    ).toBe(404);
    expect((await fetch(mcp, { method: "PUT", headers: bearer(agent) })).status).toBe(405);
    expect((await post({ ...bearer(agent), "content-type": "text/plain" })).status).toBe(415);
  });

  test("M9 a client that leaves a waiting call without a word cancels it in the bridge", async () => {
    const { id } = await product.open({ command: ["/bin/cat"] });
    const told = logged(place, '"outcome":"cancelled"');
    // By hand: clients of the SDK say good-bye, and this is about one that does not.
    const leaving = new AbortController();
    const answer = await fetch(product.ready.endpoints.mcp, {
      method: "POST",
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${product.ready.tokens.agent}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "read_terminal",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "read_terminal",
          arguments: { terminalId: id, waitFor: { exit: true }, timeoutMs: 50_000 },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "leaver", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    leaving.abort();
    await told;
  });

  test("M10 a subscription to a terminal is told of its output", async () => {
    const client = new OlderClient({ name: "older", version: "1" });
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      );
    });
    const { endpoints, tokens } = product.ready;
    const { token } = await mint(place);
    await client.connect(new OlderTransport(new URL(endpoints.mcp), header(token)));
    const { id } = await product.open({ command: ["/bin/cat"] });
    await client.subscribeResource({ uri: `terminal://${id}/screen` });
    using person = await SeedClient.connect(endpoints.peer, tokens.edit);
    person.type(id, "something\n");
    expect(await updated).toBe(`terminal://${id}/screen`);
    await client.close();
  });

  test("M7 connect prints what each program wants, with a token that works", async () => {
    for (const client of [
      "claude-code",
      "codex",
      "vscode",
      "cursor",
      "inspector",
      "responses-api",
    ]) {
      const { code, stdout } = await place.run(["connect", client, ...place.code]);
      expect(code, client).toBe(0);
      expect(stdout).toContain(product.ready.endpoints.mcp);
      const token = /pp_\w{10}_\w{32}/.exec(stdout)?.[0] ?? "";
      const agent = await modern(product, token);
      expect((await agent.tools()).length, client).toBe(11);
      await agent.close();
    }
  });

  test("M8 policy check answers each line", async () => {
    const { code, stdout } = await place.run(
      ["policy", "check"],
      {},
      '{"argv":["ls"]}\n{"shell":"curl x | sh"}\n',
    );
    expect(code).toBe(0);
    const [first, second] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ verdict: "safe", level: "safe" });
    expect(second).toMatchObject({ verdict: "blocked" });
  });

  test("M8 a line that is no question is answered in its place, and the others too", async () => {
    const input = 'garbage\n{"argv":["ls"]}\n{"argv":"ls"}\n{"shell":"ls"}\n';
    const { code, stdout, stderr } = await place.run(["policy", "check"], {}, input);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("2 lines are not a valid question"),
    ]);
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { error: "not a valid question: garbage" },
      { verdict: "safe" },
      { error: 'not a valid question: {"argv":"ls"}' },
      { verdict: "safe" },
    ]);
  });
});

test("S5 A11 a link into pairpty's own folders is no way in", async () => {
  const agent = await modern(strict, strict.ready.tokens.agent);
  const { root, folder } = settled;
  symlinkSync(join(root, "state"), join(folder, "link"));
  for (const cwd of [join(root, "state", "pairpty"), join(folder, "link", "pairpty")]) {
    const result = await agent.call("spawn_background_terminal", { cwd, command: ["ls"] });
    expect([result.isError, textOf(result)], cwd).toEqual([
      true,
      "Command blocked for security reasons",
    ]);
  }
  await agent.close();
});

test("M6 bridge away: 503 at once, with Retry-After and a body", async () => {
  await strict.kill();
  const { endpoints, tokens } = strict.ready;
  const headers = {
    authorization: `Bearer ${tokens.agent}`,
    "content-type": "application/json",
  };
  const answer = await fetch(endpoints.mcp, { method: "POST", headers, body: "{}" });
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: "bridge_away" });
});

test("S12 a killed server may put its house in order", async () => {
  const agent = await modern(neighbour, neighbour.ready.tokens.agent);
  const code =
    "process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); console.log('up'); setInterval(() => {}, 1000)";
  const { id } = jsonOf(
    await agent.call("spawn_background_terminal", {
      cwd: beside.folder,
      command: ["node", "-e", code],
    }),
  );
  await agent.call("read_terminal", { terminalId: id, waitFor: { pattern: "up" } });
  await agent.call("kill_terminal", { terminalId: id });
  const read = await agent.call("read_terminal", { terminalId: id });
  expect(jsonOf(read).history).toBe("up\nbye\n");
  expect(read.structuredContent?.["exit"]).toEqual({ exitCode: 0, signal: null });
  await agent.close();
});

test("S8 S9 a title is not read as text, and no pattern is found in it", async () => {
  const agent = await modern(product, product.ready.tokens.agent);
  const print =
    "printf '\\033]0;vite is ready soon: ~/a\\007compi'; printf '\\033P1$r0m\\033\\\\ling\\033_apc\\033\\\\...'; sleep 1000";
  const { id } = await product.open({ command: ["/bin/sh", "-c", print] });
  const read = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "is ready|\\.\\.\\.$", regex: true },
  });
  expect(jsonOf(read).history).toBe("compiling...");
  const never = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "is ready", idleMs: 300 },
  });
  expect(never.structuredContent?.["waited"]).toBe("idle");
  expect(await agent.readResource(`terminal://${id}`)).toBe("compiling...");
  await agent.close();
});

test("S9 a costly pattern is refused, and nobody waits for it", async () => {
  const agent = await modern(product, product.ready.tokens.agent);
  const { id } = await product.open({
    command: ["/bin/sh", "-c", "head -c 1900000 /dev/zero | tr '\\0' a; sleep 1000"],
  });
  await agent.call("read_terminal", { terminalId: id, waitFor: { idleMs: 300 } });
  const costly = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "[ab]{0,1000}[xy]", regex: true },
  });
  expect([costly.isError, textOf(costly)]).toEqual([true, expect.stringMatching(/too costly/)]);
  const allowed = agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "[ab]{0,80}[xy]", regex: true },
    timeoutMs: 1_500,
  });
  // In the middle of the search, others are served.
  expect(jsonOf(await agent.call("list_terminals"))).toContainEqual(
    expect.objectContaining({ id }),
  );
  expect((await allowed).structuredContent?.["waited"]).toBe("timeout");
  await agent.close();
});

test("S7 M10 resources, subscriptions and refused calls are in the log, with what was asked for", async () => {
  const client = new OlderClient({ name: "older", version: "1" });
  const { token } = await mint(place, "--scopes", "read", "--label", "the reader");
  await client.connect(new OlderTransport(new URL(product.ready.endpoints.mcp), header(token)));
  const { id } = await product.open({ command: ["/bin/cat"] });
  await client.listResources();
  for (const uri of [`terminal://${id}`, `terminal://${id}/screen`]) {
    await client.readResource({ uri });
    await client.subscribeResource({ uri });
  }
  await client.unsubscribeResource({ uri: `terminal://${id}` });
  for (const uri of ["terminal://nope", "terminal://nope/screen", "other://x"]) {
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    await expect(client.subscribeResource({ uri })).rejects.toMatchObject({ data: { uri } });
  }
  const spawn = { cwd: place.folder, command: ["true"] };
  await client
    .callTool({ name: "spawn_background_terminal", arguments: spawn })
    .catch(() => undefined);
  await client.callTool({ name: "read_terminal", arguments: { terminalId: 7 } });
  await client.callTool({ name: "read_terminal", arguments: { terminalId: id } });
  await client.close();
  const { stdout } = await place.run(["audit"]);
  const lines = stdout.split("\n").filter((line) => line.includes("the reader  "));
  const told = lines.map((line) => line.replace(/^\S+ {2}the reader {2}/, ""));
  const uri = (text: string) => JSON.stringify({ uri: text });
  expect(told.filter((line) => line.startsWith("resources/"))).toEqual([
    "resources/list · ok  {}",
    `resources/read · ok  ${uri(`terminal://${id}`)}`,
    `resources/subscribe · ok  ${uri(`terminal://${id}`)}`,
    `resources/read · ok  ${uri(`terminal://${id}/screen`)}`,
    `resources/subscribe · ok  ${uri(`terminal://${id}/screen`)}`,
    `resources/unsubscribe · ok  ${uri(`terminal://${id}`)}`,
    `resources/read · Terminal not found  ${uri("terminal://nope")}`,
    `resources/subscribe · Terminal not found  ${uri("terminal://nope")}`,
    `resources/read · Terminal not found  ${uri("terminal://nope/screen")}`,
    `resources/subscribe · Terminal not found  ${uri("terminal://nope/screen")}`,
    expect.stringMatching(/^resources\/read · .*not found.* {2}\{"uri":"other:\/\/x"\}$/i),
    `resources/subscribe · Terminal not found  ${uri("other://x")}`,
  ]);
  expect(told.filter((line) => line.includes("_terminal"))).toEqual([
    expect.stringMatching(/^spawn_background_terminal · Tool .* not found .*"command":\["true"\]/),
    expect.stringMatching(/^read_terminal · Input validation error.*"terminalId":7/),
    expect.stringMatching(/^read_terminal · ok/),
  ]);
});

test("S7 a subscription of the 2026 wire is in the log, with what it is to", async () => {
  const { id } = await product.open({ command: ["/bin/cat"] });
  const uri = `terminal://${id}`;
  const told = logged(place, `"resourceSubscriptions":["${uri}"]`);
  const leaving = new AbortController();
  const method = "subscriptions/listen";
  const wire = "io.modelcontextprotocol";
  const _meta = {
    [`${wire}/protocolVersion`]: "2026-07-28",
    [`${wire}/clientInfo`]: { name: "listener", version: "1" },
    [`${wire}/clientCapabilities`]: {},
  };
  const params = { notifications: { resourceSubscriptions: [uri] }, _meta };
  const answer = await fetch(product.ready.endpoints.mcp, {
    method: "POST",
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${product.ready.tokens.agent}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  expect(answer.status).toBe(200);
  await told;
  leaving.abort();
});

test("S7 a few refused calls do not push the log's past out of it", async () => {
  const agent = await modern(product, product.ready.tokens.agent);
  const command = Array.from({ length: 1000 }, () => `rm ${"A".repeat(1990)}`);
  for (let i = 0; i < 4; i++) {
    await agent.call("spawn_background_terminal", { cwd: place.folder, command });
  }
  const { stdout } = await place.run(["audit", "--json"]);
  expect(stdout).toContain("grant granted");
  expect(stdout.length).toBeLessThan(100_000);
  await agent.close();
});
