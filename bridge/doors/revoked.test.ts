// Callers at the doors of this machine when their grant ends, over real sockets.

import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FrameDecoder } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { AuditLog } from "../audit/audit-log.ts";
import { Hub } from "../callers/hub.ts";
import { auditRequests } from "../dialects/mcp/request-audit.ts";
import { PTY_MESSAGES } from "../dialects/pty/pty-messages.ts";
import { GrantExpiry } from "../grants/grant-expiry.ts";
import { LocalAgents } from "../grants/local-agents.ts";
import type { Grant } from "../grants/grant-table.ts";
import { GrantTable } from "../grants/grant-table.ts";
import type { LocalSocket } from "../local/local-socket.ts";
import { createLog } from "../log.ts";
import { Viewers } from "../viewers/viewers.ts";
import { toChannelMessages } from "../viewers/viewer-ports.ts";
import { createMcpDoor } from "./mcp/mcp-door.ts";
import { createTerminalDoor } from "./terminal/terminal-door.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

let folder = "";
let path = "";
let now = 0;
let grants: GrantTable;
let hub: Hub;
const log = createLog("silent", () => {});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-here-"));
  path = join(folder, "door.sock");
  now = 0;
  grants = new GrantTable(join(folder, "grants.json"), () => now);
  hub = new Hub(grants, log);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The only grant. */
function only(): Grant {
  const [grant, ...others] = grants.list();
  if (grant === undefined || others.length > 0) throw new Error("not one grant");
  return grant;
}

async function knock(door: LocalSocket): Promise<Socket> {
  door.open(path);
  const socket = connect(path).on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** A reset counts as an end. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}

function terminals(): LocalSocket {
  const pool = new OneTerminal(poolTerminal());
  const screens = { snapshot: () => Promise.reject(new Error("nobody looks")) };
  const viewers = new Viewers(pool, screens, () => PTY_MESSAGES, log);
  return createTerminalDoor({
    pool,
    grants,
    hub,
    viewers,
    messages: toChannelMessages(() => PTY_MESSAGES),
    log,
  });
}

/** Everything sent before the end. */
function frames(socket: Socket): number[] {
  const decoder = new FrameDecoder();
  const types: number[] = [];
  socket.on("data", (chunk: Buffer) => {
    types.push(...decoder.push(chunk).frames.map(({ type }) => type));
  });
  return types;
}

/** Resolves when a door has accepted a caller. */
function granted(): Promise<Grant> {
  return new Promise((resolve) => {
    const stop = grants.onEvent(({ event, grant }) => {
      if (event !== "granted") return;
      stop();
      resolve(grant);
    });
  });
}

test("U1 U9 G8 a terminal of this machine is closed with its grant, with a last word; a grant with its connection", async () => {
  const door = terminals();
  const letIn = granted();
  const first = await knock(door);
  const goodbye = frames(first);
  const closed = closing(first);
  const { id } = await letIn;
  expect(grants.revoke(id)).toBe(true);
  await closed;
  expect(goodbye.at(-1)).toBe(FrameType.peerClose);
  expect(hub.listAdmitted()).toEqual([]);
  const again = granted();
  const second = connect(path);
  const other = await again;
  const ended = new Promise<string>((resolve) => {
    grants.onEvent(({ event, grant }) => resolve(`${event} ${grant.id}`));
  });
  second.destroy();
  expect(await ended).toBe(`revoked ${other.id}`);
  expect(grants.list()).toEqual([]);
  door.close();
});

/** A local agent whose one tool counts its calls. */
async function agent() {
  const audit = new AuditLog(join(folder, "audit.log"), (problem) => {
    throw new Error(problem);
  });
  let calls = 0;
  const door = createMcpDoor({
    grants,
    agents: new LocalAgents(grants, () => now),
    hub,
    log,
    createServer: (caller) => {
      const server = new McpServer({ name: "test", version: "1" });
      auditRequests(server, { caller, audit, log });
      server.registerTool("count", {}, () => {
        calls++;
        return { content: [] };
      });
      return server;
    },
  });
  const socket = await knock(door);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const say = (id: number, method: string, params: object) =>
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const answer = async () => JSON.parse((await lines.next()).value ?? "null");
  const clientInfo = { name: "test", version: "1" };
  say(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  await answer();
  const send = (id: number) => say(id, "tools/call", { name: "count", arguments: {} });
  const call = async (id: number) => {
    send(id);
    return await answer();
  };
  return { door, socket, send, call, calls: () => calls };
}

test("U1 U9 G8 a local agent whose grant is revoked loses its connection, and nothing that it sends is done", async () => {
  const { door, socket, send, call, calls } = await agent();
  expect(await call(2)).toHaveProperty("result");
  const closed = closing(socket);
  // Open when the grant is revoked.
  send(3);
  grants.revoke(only().id);
  await closed;
  expect(calls()).toBe(1);
  door.close();
});

test("G21 a call is refused by the grant of its moment, though the connection stands, and written down", async () => {
  hub.dispose();
  const { door, socket, call, calls } = await agent();
  expect(await call(2)).toHaveProperty("result");
  const { id } = only();
  grants.revoke(id);
  expect(await call(3)).toMatchObject({
    id: 3,
    error: { message: expect.stringContaining("revoked") },
  });
  expect(calls()).toBe(1);
  const written = readFileSync(join(folder, "audit.log"), "utf8");
  expect(written).toContain(`"grant":"${id}"`);
  expect(written).toMatch(/"tool":"count".*revoked/);
  socket.destroy();
  door.close();
});

test("U9 a caller whose grant runs out is closed then, whatever it does", () => {
  const closed: string[] = [];
  const { grant } = grants.mint({
    role: "edit",
    scopes: [],
    label: "",
    expiresAt: 1_000,
    session: true,
  });
  const expiry = new GrantExpiry(grants, () => now);
  hub.open({
    door: { name: "people", proof: "ticket", sendAll: () => {} },
    since: 0,
    grantId: grant.id,
    grant: () => grants.lookUp(grant.id),
    send: () => {},
    close: ({ why }) => void closed.push(why),
  });
  now = 1_000;
  grants.expire();
  expect(closed).toEqual(["expired"]);
  expiry.dispose();
});

test("G25 an agent is named by the verb's line, else by its client's first message; what follows is whole", async () => {
  const server = () => new McpServer({ name: "test", version: "1" });
  const agents = new LocalAgents(grants, () => now);
  const door = createMcpDoor({ grants, agents, hub, log, createServer: server });
  door.open(path);
  const hello = (name: string) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name, version: "1" },
      },
    });
  const say = async (...pieces: string[]) => {
    const socket = connect(path);
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    for (const piece of pieces) socket.write(piece);
    expect(JSON.parse((await lines.next()).value ?? "{}")).toMatchObject({ id: 1 });
    return socket;
  };
  const named = `{"pairpty":{"name":"reviewer"}}\n${hello("claude")}\n`;
  const sockets = [
    await say(named),
    await say(`{"pairpty":{}}\n`, hello("claude").slice(0, 40), `${hello("claude").slice(40)}\n`),
    await say(`${hello("codex")}\n`),
  ];
  expect(grants.list().map(({ label }) => label)).toEqual(["reviewer", "claude", "codex"]);
  for (const socket of sockets) socket.destroy();
  door.close();
});
