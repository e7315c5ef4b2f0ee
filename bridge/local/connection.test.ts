import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AuditLog } from "../agents/audit.ts";
import { auditRequests } from "../dialects/mcp/audited.ts";
import { agentDoor } from "../dialects/mcp/local-door.ts";
import type { Grant } from "../grants/table.ts";
import { GrantTable } from "../grants/table.ts";
import { LocalSocket } from "../local-socket.ts";
import type { ConnectionGrants } from "./connection.ts";
import { grantConnection } from "./connection.ts";

let folder = "";
let path = "";
let grants: GrantTable;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-here-"));
  path = join(folder, "door.sock");
  grants = new GrantTable(join(folder, "grants.json"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const wish = { role: "edit", scopes: [], label: "here" } as const;

/** The only grant there is. */
function only(): Grant {
  const [grant, ...others] = grants.list();
  if (grant === undefined || others.length > 0) throw new Error("not one grant");
  return grant;
}

async function knock(): Promise<Socket> {
  const socket = connect(path).on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** A reset is an end, too. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
  });
}

test("G8 a connection on this machine ends with its grant, with a last word; a grant with its connection", async () => {
  const door = new LocalSocket((socket) => {
    grantConnection(socket, grants, { ...wish, scopes: [] }, () => socket.write("revoked"));
    socket.write("hello");
  });
  door.open(path);
  const [first, second] = [await knock(), await knock()];
  await Promise.all([once(first, "data"), once(second, "data")]);
  const [grant, other] = grants.list();
  const words = once(first, "data");
  const closed = closing(first);
  expect(grants.revoke(grant?.id ?? "")).toBe(true);
  expect(String((await words)[0])).toBe("revoked");
  await closed;
  expect(only().id).toBe(other?.id);
  const ended = new Promise<string>((resolve) => {
    grants.onEvent(({ event, grant: { id } }) => resolve(`${event} ${id}`));
  });
  second.destroy();
  expect(await ended).toBe(`revoked ${other?.id}`);
  expect(grants.list()).toEqual([]);
  door.close();
});

/** A local agent at a door whose one tool counts its calls. */
async function agentAt(doorGrants: ConnectionGrants) {
  const audit = new AuditLog(join(folder, "audit.log"), (problem) => {
    throw new Error(problem);
  });
  let calls = 0;
  const door = agentDoor(doorGrants, {
    createServer: (grant) => {
      const server = new McpServer({ name: "test", version: "1" });
      auditRequests(server, { audit, grant }, () => grants.lookUp(grant.id) !== undefined);
      server.registerTool("count", {}, () => {
        calls++;
        return { content: [] };
      });
      return server;
    },
  });
  door.open(path);
  const socket = await knock();
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

test("G8 a local agent whose grant is revoked loses its connection, and nothing that it sends is done", async () => {
  const agent = await agentAt(grants);
  expect(await agent.call(2)).toHaveProperty("result");
  const closed = closing(agent.socket);
  // Under way when it is revoked.
  agent.send(3);
  grants.revoke(only().id);
  await closed;
  expect(agent.calls()).toBe(1);
  agent.door.close();
});

test("G8 a call is refused by the grant of its moment, though the connection stands, and written down", async () => {
  const deaf: ConnectionGrants = {
    mint: (asked) => grants.mint(asked),
    revoke: (id) => grants.revoke(id),
    onEvent: () => () => {},
  };
  const agent = await agentAt(deaf);
  expect(await agent.call(2)).toHaveProperty("result");
  const { id } = only();
  grants.revoke(id);
  expect(await agent.call(3)).toMatchObject({
    id: 3,
    error: { message: expect.stringContaining("revoked") },
  });
  expect(agent.calls()).toBe(1);
  const written = readFileSync(join(folder, "audit.log"), "utf8");
  expect(written).toContain(`"grant":"${id}"`);
  expect(written).toMatch(/"tool":"count".*revoked/);
  agent.socket.destroy();
  agent.door.close();
});
