// Every door, when the grant of a connected caller is revoked or expires. The hub, the table of
// grants and the sockets of this machine are real.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import { toText } from "../../protocol/text.ts";
import { Hub } from "../callers/hub.ts";
import { PTY_MESSAGES } from "../dialects/pty/pty-messages.ts";
import { LocalAgents } from "../grants/local-agents.ts";
import { GrantTable } from "../grants/grant-table.ts";
import { connectLocal } from "../local/local-socket.ts";
import type { LocalSocket } from "../local/local-socket.ts";
import { createLog } from "../log.ts";
import { Viewers } from "../viewers/viewers.ts";
import { toChannelMessages } from "../viewers/viewer-ports.ts";
import { createAcpDoor } from "./acp/local-acp-door.ts";
import { ControlServer } from "./control/control-server.ts";
import { HttpTunnel } from "./http/http-tunnel.ts";
import { createMcpDoor } from "./mcp/mcp-door.ts";
import { createTerminalDoor } from "./terminal/terminal-door.ts";
import { modelledRoom, OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

const log = createLog("silent", () => {});
const screens = { snapshot: () => Promise.reject(new Error("nobody looks")) };
let folder = "";
let now = 0;
let grants: GrantTable;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-ended-"));
  now = 0;
  grants = new GrantTable(join(folder, "grants.json"), () => now);
});
afterEach(() => rmSync(folder, { recursive: true }));

const WAYS = {
  revoked: (id: string) => void grants.revoke(id),
  expired: (id: string) => {
    grants.renew(id, 1_000);
    now = 1_000;
    grants.expire();
  },
} as const;

function mint(): string {
  const request = { role: "edit", scopes: [], label: "", expiresAt: null, session: true } as const;
  return grants.mint({ ...request, scopes: [] }).grant.id;
}

/** The first caller at a door of this machine, and the end of its connection. */
async function enter(hub: Hub, door: LocalSocket, hello: string) {
  const path = join(folder, "door.sock");
  const letIn = new Promise<string>((resolve) => {
    const stop = grants.onEvent(({ event, grant }) => {
      if (event !== "granted") return;
      stop();
      resolve(grant.id);
    });
  });
  door.open(path);
  const socket: Socket = connect(path).on("error", () => {});
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  await once(socket, "connect");
  socket.resume().write(hello);
  const id = await letIn;
  expect(hub.listAdmitted().map(({ grantId }) => grantId)).toEqual([id]);
  return { id, closed };
}

const ways = ["revoked", "expired"] as const;

test.each(ways)("U9 at the people's door a socket is closed when its link is %s", (how) => {
  const sent: { type: number; stream: number; text: string }[] = [];
  const link = {
    send: (type: number, stream: number, payload: Uint8Array = new Uint8Array()) =>
      void sent.push({ type, stream, text: toText(payload) }),
    sendBytes: () => {},
    confirmed: () => Promise.resolve(),
  };
  const pool = new OneTerminal(poolTerminal());
  const { door } = modelledRoom({ pool, link, grants, screens, log });
  const [one, other] = [mint(), mint()];
  door.onJoined(1, { grant: one, joinedAt: 0, subscriptions: [] });
  door.onJoined(2, { grant: other, joinedAt: 0, subscriptions: [] });
  WAYS[how](one);
  const closes = sent.filter(({ type }) => type === FrameType.peerClose);
  expect(closes).toMatchObject([{ stream: 1 }]);
  expect(JSON.parse(closes[0]?.text ?? "")).toMatchObject({ code: CloseCode.unauthorized });
});

test.each(ways)(
  "U9 at the HTTP door a request under way is a 401 when its token is %s",
  async (how) => {
    const hub = new Hub(grants, log);
    const frames: { type: number; text: string }[] = [];
    const link = {
      send: () => expect.unreachable("frames of the tunnel leave in turns"),
      sendBytes: (bytes: Uint8Array) => {
        for (const { type, payload } of decodeFrames(bytes).frames) {
          frames.push({ type, text: toText(payload) });
        }
      },
    };
    const tunnel = new HttpTunnel({ link, grants, hub, log });
    const aborted = new Promise<void>((resolve) => {
      hub.registerRoute({
        path: "/x",
        requires: "nothing",
        serve: (_caller, { signal }) =>
          new Promise((_answer, reject) => {
            signal.addEventListener("abort", () => {
              resolve();
              reject(new Error("nobody waits"));
            });
          }),
      });
    });
    const id = mint();
    const payload = toPayload({ method: "GET", path: "/x", headers: [], grant: id, at: 0 });
    tunnel.onFrame({ type: FrameType.streamOpen, flags: 0, stream: 1, payload });
    await Promise.resolve();
    expect(hub.listAdmitted()).toHaveLength(1);
    WAYS[how](id);
    await aborted;
    await new Promise((resolve) => setImmediate(resolve));
    const head = frames.find(({ type }) => type === FrameType.streamHead);
    expect(JSON.parse(head?.text ?? "")).toMatchObject({ status: 401 });
    expect(hub.listAdmitted()).toEqual([]);
  },
);

test.each(ways)("U9 at mcp.sock a connection ends when its grant is %s", async (how) => {
  const hub = new Hub(grants, log);
  const agents = new LocalAgents(grants, () => now);
  const createServer = () => new McpServer({ name: "test", version: "1" });
  const door = createMcpDoor({ grants, agents, hub, createServer, log });
  const { id, closed } = await enter(hub, door, `{"pairpty":{"name":"reviewer"}}\n`);
  WAYS[how](id);
  await closed;
  door.close();
});

test.each(ways)("U9 at acp.sock a connection ends when its grant is %s", async (how) => {
  const hub = new Hub(grants, log);
  const agents = new LocalAgents(grants, () => now);
  const ended: unknown[] = [];
  const door = createAcpDoor({
    grants,
    agents,
    hub,
    host: { serve: () => (why) => void ended.push(why) },
    folder,
    link: "",
    onApprovalRequested: () => () => {},
    sweep: () => {},
    log,
  });
  const { id, closed } = await enter(hub, door, `{"pairpty":{"name":"coder"}}\n`);
  WAYS[how](id);
  await closed;
  await vi.waitFor(() => expect(hub.listAdmitted()).toEqual([]));
  expect(ended).toEqual([expect.stringContaining(how)]);
  door.close();
});

test.each(ways)("U9 at terminal.sock a connection ends when its grant is %s", async (how) => {
  const hub = new Hub(grants, log);
  const pool = new OneTerminal(poolTerminal());
  const viewers = new Viewers(pool, screens, () => PTY_MESSAGES, log);
  const words = toChannelMessages(() => PTY_MESSAGES);
  const door = createTerminalDoor({ pool, grants, hub, viewers, messages: words, log });
  const { id, closed } = await enter(hub, door, "");
  WAYS[how](id);
  await closed;
  expect(hub.listAdmitted()).toEqual([]);
  door.close();
});

test("U1 U5 at bridge.sock a verb is a caller while it is answered: the user, whose grant has no end", async () => {
  const hub = new Hub(grants, log);
  const path = join(folder, "bridge.sock");
  const server = await ControlServer.bind(path);
  const seen: unknown[] = [];
  server?.serve(hub, log, (caller) => {
    const isHere = hub.listAdmitted().includes(caller);
    seen.push({ door: caller.door.name, isHere, role: caller.grant()?.role });
    for (const { id } of grants.list()) grants.revoke(id);
    return [];
  });
  const socket = await connectLocal(path);
  socket.write(`{"verb":"grants"}\n`);
  const [answer] = await once(socket, "data");
  expect(JSON.parse(String(answer))).toEqual({ ok: true, value: [] });
  expect(seen).toEqual([{ door: "control", isHere: true, role: "edit" }]);
  expect(hub.listAdmitted()).toEqual([]);
  socket.destroy();
  server?.close();
});
