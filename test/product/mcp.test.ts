// Agents through the relay, with real clients of both wires.

import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HTTP_CLIENTS } from "../../protocol/connect.ts";
import { listProcesses } from "../support/processes.ts";
import { CLI, Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until, within } from "../support/waiting.ts";
import { listToolsOfScopes, SESSION_TOOLS, TOOLS, USUAL_TOOLS } from "../support/tool-names.ts";

// Agents may spawn three a minute: those of these tests are spread over two.
let place: Place;
let product: Product;
/** With settings for agents, and in a folder that holds pairpty's own, as a home does. */
let settled: Place;
let strict: Product;

beforeAll(async () => {
  place = new Place();
  settled = new Place({
    NPM_TOKEN: "hunter2secret",
    FAVOURITE: "teal",
    AWS_REGION: "eu-west-1",
  });
  const settings = ["--agent-root", "/usr", "--agent-env", "AWS_REGION", "--agent-idle", "2s"];
  [product, strict] = await Promise.all([
    place.start(),
    settled.start("--cwd", settled.root, ...settings),
  ]);
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
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

const getText = (result: Result) => result.content[0]?.text ?? "";
const parseJson = (result: Result) => JSON.parse(getText(result));

const IDLE = "setInterval(() => {}, 1000)";

/** Of another agent's terminal: it may be read, and nothing else. */
async function cannotTouch(stranger: Agent, terminalId: string): Promise<void> {
  for (const tool of ["kill_terminal", "promote_terminal"]) {
    const refused = await stranger.call(tool, { terminalId });
    expect([refused.isError, getText(refused)], `S4 ${tool}`).toEqual([
      true,
      "Terminal belongs to another agent",
    ]);
  }
  const read = await stranger.call("read_terminal", { terminalId });
  expect(parseJson(read).history, "S4 reading").toContain("up and running");
}

/** The way of a terminal through its tools, with another agent who looks on. */
async function goThrough(agent: Agent, stranger: Agent, folder: string): Promise<void> {
  const tools = await agent.tools();
  expect(tools.map(({ name }) => name).sort()).toEqual(USUAL_TOOLS.toSorted());
  const spawnRequest = {
    cwd: folder,
    command: ["node", "-e", `console.log('up and running'); ${IDLE}`],
    requestKey: "once",
  };
  const [spawned, again] = await Promise.all([
    agent.call("spawn_background_terminal", spawnRequest),
    agent.call("spawn_background_terminal", spawnRequest),
  ]);
  expect(spawned.isError, getText(spawned)).not.toBe(true);
  const terminal = parseJson(spawned);
  expect(parseJson(again), "S10 the same request key").toEqual(terminal);
  expect(Object.keys(terminal)).toEqual(["id", "cwd", "owner", "visible", "createdAt", "command"]);
  expect(terminal).toMatchObject({ owner: "agent", visible: false });
  const { id } = terminal;

  expect(parseJson(await agent.call("list_terminals"))).toEqual([terminal]);
  const read = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "up and running" },
    timeoutMs: 20_000,
  });
  expect(parseJson(read)).toEqual({ terminalId: id, history: "up and running\n" });
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
  await cannotTouch(stranger, id);

  const promoted = await agent.call("promote_terminal", { terminalId: id });
  expect(parseJson(promoted)).toEqual({ ...terminal, owner: "user", visible: true });
  const refused = await agent.call("kill_terminal", { terminalId: id });
  expect([refused.isError, getText(refused)]).toEqual([
    true,
    "Cannot kill visible or user-owned terminals",
  ]);
  expect((await product.http(`/pty/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(parseJson(await agent.call("kill_terminal", { terminalId: id }))).toEqual({
    terminated: true,
    id,
  });
}

test("A1 blocked and dangerous commands and places outside are refused with the documented words", async () => {
  const agent = await modern(product, product.ready.tokens.agent);
  const spawn = (command: string[], cwd = place.folder) =>
    agent.call("spawn_background_terminal", { cwd, command });
  for (const command of [
    ["rm", "-rf", "x"],
    ["sh", "-c", "echo `id`"],
    ["pairpty", "share"],
  ]) {
    const result = await spawn(command);
    expect([result.isError, getText(result)]).toEqual([
      true,
      "Command blocked for security reasons",
    ]);
  }
  expect(getText(await spawn(["git", "reset", "--hard"]))).toMatch(/needs approval/);
  expect(getText(await spawn(["ls"], "/etc"))).toMatch(/outside the shared folders/);
  expect(getText(await spawn(["no-such-program-here"]))).toMatch(/Command not found/);
  await agent.close();
});

describe("real clients do list, spawn, read, promote and kill through the relay", () => {
  test("M1 S4 S10 S27 G5 the v1 client of the SDK", async () => {
    const agent = await older(product, product.ready.tokens.agent);
    const stranger = await modern(product, (await mint(place)).token);
    await goThrough(agent, stranger, place.folder);
    await Promise.all([agent.close(), stranger.close()]);
  });

  test("M1 S4 S10 S27 G5 the v2 client of the SDK", async () => {
    const agent = await modern(product, product.ready.tokens.agent);
    const stranger = await older(product, (await mint(place)).token);
    await goThrough(agent, stranger, place.folder);
    await Promise.all([agent.close(), stranger.close()]);
  });

  test("M2 S12 a local agent by stdio: pairpty mcp; a killed server may put its house in order", async () => {
    const client = new OlderClient({ name: "local", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [CLI, "mcp"],
      cwd: place.folder,
      env: { ...process.env, ...place.environment } as Record<string, string>,
      stderr: "ignore",
    });
    await client.connect(transport);
    const agent = wrap(client as never);
    const code = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); }); console.log(6 * 7); ${IDLE}`;
    const { id } = parseJson(
      await agent.call("spawn_background_terminal", {
        cwd: place.folder,
        command: ["node", "-e", code],
      }),
    );
    await agent.call("read_terminal", { terminalId: id, waitFor: { pattern: "42" } });
    await agent.call("kill_terminal", { terminalId: id });
    const read = await agent.call("read_terminal", { terminalId: id, waitFor: { exit: true } });
    expect(parseJson(read).history).toBe("42\nbye\n");
    expect(read.structuredContent).toMatchObject({ exit: { exitCode: 0, signal: null } });
    await agent.close();
  });
});

test("M23 a local agent's line that is no message is answered as such, and the next is served", async () => {
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
  test("S1 S26 four starts at once of two agents are too many, with the documented words", async () => {
    const agent = await modern(product, product.ready.tokens.agent);
    const other = await modern(product, (await mint(place)).token);
    // Whatever started a moment ago; how they are counted is in bridge/pipeline/.
    const spawnRequest = { cwd: place.folder, command: ["true"] };
    const all = await Promise.all(
      [agent, other, agent, other].map((by) => by.call("spawn_background_terminal", spawnRequest)),
    );
    const limited = all.filter(({ isError }) => isError === true);
    expect(limited.length).toBeGreaterThan(0);
    for (const one of limited) {
      expect(getText(one)).toBe("Spawn rate limit exceeded (max 3/minute)");
      expect(one.structuredContent?.["retryAfterMs"]).toBeGreaterThan(0);
    }
    await Promise.all([agent.close(), other.close()]);
  });

  test("S6 S12 an agent's child has no secrets, and the whole tree is gone after a kill", async () => {
    const agent = await modern(strict, strict.ready.tokens.agent);
    // In a file: people are asked about inline code that starts programs [A23].
    const script = join(settled.root, "tree.cjs");
    writeFileSync(
      script,
      "console.log(JSON.stringify(process.env)); require('child_process').spawn('sleep', ['7654'], {detached: true}); setInterval(() => {}, 1000)",
    );
    const spawned = await agent.call("spawn_background_terminal", {
      cwd: "/usr/bin",
      command: ["node", script],
    });
    const { id } = parseJson(spawned);
    const read = await agent.call("read_terminal", { terminalId: id, waitFor: { pattern: "}" } });
    const { history } = parseJson(read);
    expect(history).toContain("teal");
    expect(history).not.toContain("hunter2secret");
    expect(history).toContain("eu-west-1");
    await agent.call("kill_terminal", { terminalId: id });
    const left = listProcesses(settled.root).filter((pid) => pid !== strict.pid);
    const sleeping = left.filter((pid) => settled.readCommand(pid).includes("7654"));
    expect(sleeping).toEqual([]);
    const audit = await settled.run(["audit", "--json", "--cwd", settled.root]);
    expect(audit.stdout).toContain("spawn_background_terminal");
    expect(audit.stdout).not.toContain("hunter2secret");
    await agent.close();
  });

  test("S11 S45 an idle background terminal is closed, a promoted one is not; people are told of all", async () => {
    const { endpoints, tokens } = strict.ready;
    using person = await PlainClient.connect(endpoints.peer, tokens.view);
    const agent = await modern(strict, tokens.agent);
    const spawn = async () =>
      parseJson(
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
    expect(parseJson(await agent.call("list_terminals"))).toMatchObject([{ id: kept }]);
    await agent.close();
  });
});

/** Resolves when the log of what agents did has this. */
async function logged(where: Place, words: string): Promise<void> {
  const log = join(where.stateFolder(), "audit.log");
  await until(`the log has ${words}`, () => readFileSync(log, "utf8").includes(words));
}

describe("the way there", () => {
  test("M3 a read grant lists and reads, and does not see the other tools", async () => {
    const { token } = await mint(place, "--scopes", "read");
    const agent = await modern(product, token);
    expect((await agent.tools()).map(({ name }) => name).sort()).toEqual(
      listToolsOfScopes("read").toSorted(),
    );
    await agent.close();
  });

  test("M3 a grant that names sets of tools is shown those, on both wires", async () => {
    const { token } = await mint(place, "--tools", "sessions");
    for (const come of [older, modern]) {
      const agent = await come(product, token);
      expect((await agent.tools()).map(({ name }) => name).sort()).toEqual(
        SESSION_TOOLS.toSorted(),
      );
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
      expect(getText(refused)).toContain("Unknown: timeout. Known are: exit, idleMs");
      await agent.close();
    }
  });

  test("M4 tools are described within 20 KB, with titles and all four hints", async () => {
    const { token } = await mint(place, "--scopes", "read,spawn,type");
    const agent = await modern(product, token);
    const tools = await agent.tools();
    expect(tools).toHaveLength(TOOLS.length);
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
    await logged(place, '"outcome":"cancelled"');
  });

  test("M24 a subscription to a terminal is told of its output", async () => {
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
    using person = await PlainClient.connect(endpoints.peer, tokens.edit);
    person.type(id, "something\n");
    expect(await updated).toBe(`terminal://${id}/screen`);
    await client.close();
  });

  test("M7 connect prints what each program wants, with a token that works", async () => {
    for (const client of HTTP_CLIENTS) {
      const { code, stdout } = await place.run(["connect", client, ...place.code]);
      expect(code, client).toBe(0);
      expect(stdout).toContain(product.ready.endpoints.mcp);
      const token = /pp_\w{10}_\w{32}/.exec(stdout)?.[0] ?? "";
      const agent = await modern(product, token);
      expect((await agent.tools()).length, client).toBe(11);
      await agent.close();
    }
  });

  test("C108 C40 C41 C106 connect says where it goes and how to turn off the program's own shell, for programs too", async () => {
    const { stdout, stderr } = await place.run(["connect", "gemini", ...place.code]);
    expect(JSON.parse(stdout)).toMatchObject({
      mcpServers: { pairpty: { httpUrl: product.ready.endpoints.mcp } },
    });
    expect(stderr).toContain("Put this into .gemini/settings.json");
    expect(stderr).toContain('To turn that off: put "tools": { "exclude": ["run_shell_command"] }');
    const outcome = await place.run(["connect", "opencode", "--json", ...place.code]);
    const { token, place: where, configuration, hints } = JSON.parse(outcome.stdout);
    expect(JSON.parse(configuration)).toMatchObject({
      mcp: { pairpty: { headers: { Authorization: `Bearer ${token}` } } },
    });
    expect([where, hints.join()]).toEqual([
      expect.stringContaining("opencode.json"),
      expect.stringContaining('"permission": { "bash": "deny" }'),
    ]);
    const inspector = await place.run(["connect", "inspector", ...place.code]);
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isNew = major > 22 || (major === 22 && minor >= 19);
    expect(inspector.stdout).toContain(`inspector@${isNew ? "latest" : "1.0"} --cli`);
  });

  test("C109 claude-desktop starts pairpty mcp, which works as it is printed", async () => {
    const { code, stdout, stderr } = await place.run(["connect", "claude-desktop"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("claude_desktop_config.json")]);
    const { command, args } = JSON.parse(stdout).mcpServers.pairpty;
    expect(args).toEqual(expect.arrayContaining(["mcp", "--cwd", place.folder]));
    const transport = new StdioClientTransport({
      command,
      args,
      env: place.environment as Record<string, string>,
    });
    const client = new OlderClient({ name: "claude-ai", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBe(11);
    await client.close();
    const refused = await place.run(["connect", "claude-desktop", "--isolation", "sandbox"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("--isolation is for agents with a token"),
    ]);
  });

  test("M8 policy check answers each line; one that is no question is answered in its place", async () => {
    const input = 'garbage\n{"argv":["ls"]}\n{"argv":"ls"}\n{"shell":"curl x | sh"}\n';
    const { code, stdout, stderr } = await place.run(["policy", "check"], {}, input);
    expect([code, stderr]).toEqual([2, expect.stringContaining("2 lines are invalid")]);
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { error: "invalid line: garbage" },
      { verdict: "safe", level: "safe" },
      { error: 'invalid line: {"argv":"ls"}' },
      { verdict: "blocked" },
    ]);
  });
});

test("S5 A11 a link into pairpty's own folders is no way in", async () => {
  const agent = await modern(strict, strict.ready.tokens.agent);
  const { root, folder } = settled;
  symlinkSync(join(root, "state"), join(folder, "link"));
  for (const cwd of [join(root, "state", "pairpty"), join(folder, "link", "pairpty")]) {
    const result = await agent.call("spawn_background_terminal", { cwd, command: ["ls"] });
    expect([result.isError, getText(result)], cwd).toEqual([
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

test("S9 S37 S41 Y29 a title is not read as text, and no pattern is found in it; a costly one is refused", async () => {
  const agent = await modern(product, product.ready.tokens.agent);
  const print =
    "printf '\\033]0;vite is ready soon: ~/a\\007compi'; printf '\\033P1$r0m\\033\\\\ling\\033_apc\\033\\\\...'; sleep 1000";
  const { id } = await product.open({ command: ["/bin/sh", "-c", print] });
  const read = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "is ready|\\.\\.\\.$", regex: true },
  });
  expect(parseJson(read).history).toBe("compiling...");
  const never = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "is ready", idleMs: 300 },
  });
  expect(never.structuredContent?.["waited"]).toBe("idle");
  expect(await agent.readResource(`terminal://${id}`)).toBe("compiling...");
  const costly = await agent.call("read_terminal", {
    terminalId: id,
    waitFor: { pattern: "[ab]{0,1000}[xy]", regex: true },
  });
  expect([costly.isError, getText(costly)]).toEqual([true, expect.stringMatching(/too costly/)]);
  const huge = "(?:a?a?a?a?a?a?a?a?a?a?){0,1000}".repeat(31);
  for (const [tool, args] of [
    ["read_terminal", { terminalId: id, waitFor: { pattern: huge, regex: true } }],
    ["read_terminal", { terminalId: id, match: `/${huge}/` }],
    ["terminal_start", { command: "cat", until: `/${huge}/` }],
  ] as const) {
    const answer = await agent.call(tool, args);
    expect([answer.isError, getText(answer)]).toEqual([
      true,
      expect.stringMatching(/a million|too costly.*repeat less/),
    ]);
  }
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
  const outcome = lines.map((line) => line.replace(/^\S+ {2}the reader {2}/, ""));
  const uri = (text: string) => JSON.stringify({ uri: text });
  expect(outcome.filter((line) => line.startsWith("resources/"))).toEqual([
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
  expect(outcome.filter((line) => line.includes("_terminal"))).toEqual([
    expect.stringMatching(/^spawn_background_terminal · Tool .* not found .*"command":\["true"\]/),
    expect.stringMatching(/^read_terminal · Input validation error.*"terminalId":7/),
    expect.stringMatching(/^read_terminal · ok/),
  ]);
});

test("S7 a subscription of the 2026 wire is in the log, with what it is to", async () => {
  const { id } = await product.open({ command: ["/bin/cat"] });
  const uri = `terminal://${id}`;
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
  await logged(place, `"resourceSubscriptions":["${uri}"]`);
  leaving.abort();
});
