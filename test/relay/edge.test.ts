// The Worker's own duties: routes, Host and Origin, headers, what reaches a room and what does not.

import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { PartySocket } from "partysocket";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import * as z from "zod/mini";
import type { StreamOpen } from "../../protocol/http.ts";
import { PLAIN_SUBPROTOCOL } from "../../protocol/limits.ts";
import { newWorkspace } from "../support/credentials.ts";
import { TestRelay } from "../support/relay.ts";
import { TestBridge } from "../support/test-bridge.ts";
import { within } from "../support/waiting.ts";

let relay: TestRelay;
let workspace: string;
let bridge: TestBridge;
let token: string;

beforeAll(async () => {
  relay = await TestRelay.start();
  workspace = newWorkspace();
  bridge = await TestBridge.up(relay, workspace);
  ({ token } = await bridge.grant("edit"));
});
afterAll(() => relay.stop());

const upgrade = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

describe("routes", () => {
  test.each([
    "/parties/other/some-room",
    "/parties/workspace/UPPER",
    "/parties/workspace/no",
    "/parties/workspace/..%2Fx",
    "/parties/workspace/-edge",
    "/parties/workspace/some-room/deeper",
    `/w/${"x".repeat(65)}/bridge`,
    "/w/some%20room/mcp",
    "/nothing/here",
  ])("R1 %s is 404", async (path) => {
    const answer = await relay.ask(path, { headers: upgrade, token });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toMatchObject({ code: "not_found" });
  });

  test("R1 a socket's door without an upgrade is 426, a socket where there is none 404", async () => {
    expect((await relay.ask(`/parties/workspace/${workspace}`)).status).toBe(426);
    expect((await relay.ask(`/w/${workspace}/bridge`)).status).toBe(426);
    expect((await relay.ask(`/w/${workspace}/acp`)).status).toBe(426);
    expect((await relay.ask(`/w/${workspace}/mcp`, { headers: upgrade, token })).status).toBe(404);
  });
});

describe("a client that tries to log in", () => {
  test.each([
    ["GET", "/.well-known/oauth-protected-resource"],
    ["GET", "/.well-known/oauth-protected-resource/w/ROOM/mcp"],
    ["GET", "/.well-known/oauth-authorization-server"],
    ["GET", "/.well-known/oauth-authorization-server/w/ROOM/mcp"],
    ["GET", "/.well-known/openid-configuration"],
    ["GET", "/w/ROOM/mcp/.well-known/openid-configuration"],
    ["POST", "/register"],
    ["POST", "/token"],
    ["GET", "/authorize?response_type=code&client_id=x"],
  ])("M22 M34 %s %s is told `pairpty connect`", async (method, path) => {
    const body = method === "POST" ? { body: '{"client_name":"agent"}' } : {};
    const answer = await relay.ask(path.replace("ROOM", workspace), { method, ...body });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({
      code: "not_found",
      error: "access_denied",
      error_description: expect.stringContaining("`pairpty connect`"),
    });
  });

  test("M33 M34 a missing or wrong token at /mcp is told `pairpty connect`, elsewhere it is not", async () => {
    const wrong = `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`;
    for (const bad of [undefined, "nonsense", wrong]) {
      const asking = bad === undefined ? {} : { token: bad };
      const answer = await relay.ask(`/w/${workspace}/mcp`, { method: "POST", ...asking });
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text)).toMatchObject({
        code: "unauthorized",
        error: expect.stringContaining("Run `pairpty connect` on the host"),
      });
      expect(answer.headers["www-authenticate"]).toMatch(
        /^Bearer error="invalid_token", error_description="[^"\\]*`pairpty connect`[^"\\]*"$/,
      );
      const other = await relay.ask(`/w/${workspace}/files`, asking);
      expect([other.status, other.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
  });

  test("M34 the official client's own error names `pairpty connect`, by login and by header", async () => {
    const url = new URL(`http://127.0.0.1:${relay.port}/w/${workspace}/mcp`);
    const headers = { authorization: "Bearer pp_0000000000_wrong" };
    const plain = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
    const client = () => new Client({ name: "lost", version: "1" });
    await expect(client().connect(plain)).rejects.toThrow("`pairpty connect`");
    const authProvider: OAuthClientProvider = {
      redirectUrl: "http://127.0.0.1:9/callback",
      clientMetadata: { redirect_uris: ["http://127.0.0.1:9/callback"] },
      clientInformation: () => undefined,
      saveClientInformation: () => {},
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: () => expect.unreachable("nobody is sent to a login"),
      saveCodeVerifier: () => {},
      codeVerifier: () => "",
    };
    const asking = new StreamableHTTPClientTransport(url, { authProvider });
    await expect(client().connect(asking)).rejects.toThrow("`pairpty connect`");
  });
});

describe("the room's request", () => {
  test("R2 nothing of a socket's query or partykit headers reaches the room", async () => {
    const path = `/parties/workspace/${workspace}?_pk=evil&x=y`;
    const socket = relay.dial(path, [PLAIN_SUBPROTOCOL, token], {
      "x-partykit-room": "evil",
      "x-partykit-props": '{"evil":1}',
      "mf-evil": "evil",
      cookie: "evil=1",
    });
    await within(socket.opened, "the peer did not get in");
    await bridge.next("peerJoined");
    const { text } = await relay.ask(`/probe/${workspace}/peer`);
    const seen = z.array(z.string()).parse(JSON.parse(text));
    expect(seen[0]).toMatch(/^https:\/\/room\/peer\?_pk=[0-9a-f-]{36}$/);
    expect(seen).toContain(`x-partykit-room: ${workspace}`);
    for (const name of seen.slice(1))
      expect(name).toMatch(/^(pairpty-|upgrade:|cf-|x-partykit-room)/);
    expect(JSON.stringify(seen)).not.toContain("evil");
    socket.end();
    await bridge.next("peerLeft");
  });

  test("R2 two sockets that ask for the same _pk are two peers", async () => {
    const path = `/parties/workspace/${workspace}?_pk=same`;
    const sockets = [1, 2].map(() => relay.dial(path, [PLAIN_SUBPROTOCOL, token]));
    const first = await bridge.next("peerJoined");
    const second = await bridge.next("peerJoined");
    expect(first.stream).not.toBe(second.stream);
    bridge.send("peerSend", first.stream, Buffer.from("for one"));
    bridge.send("peerSend", 0, Buffer.from("for all"));
    for (const socket of sockets) await socket.text((text) => text === "for all");
    const got = sockets.flatMap((socket) => socket.texts).filter((text) => text === "for one");
    expect(got).toHaveLength(1);
    for (const socket of sockets) {
      socket.end();
      await bridge.next("peerLeft");
    }
  });

  test("R2 a tunnelled request loses secrets, hop-by-hop and platform headers", async () => {
    const heads: StreamOpen[] = [];
    const served = await TestBridge.up(relay, newWorkspace());
    served.serve((_path, _body, head) => {
      heads.push(head);
      return {
        headers: [
          ["set-cookie", "a=b"],
          ["x-own", "1"],
          ["connection", "close"],
        ],
      };
    });
    const grant = await served.grant("edit");
    const answer = await relay.ask(`/w/${served.workspace}/api/x?q=1`, {
      token: grant.token,
      headers: {
        cookie: "a=b",
        "x-partykit-room": "evil",
        "mf-evil": "evil",
        "cf-evil": "evil",
        te: "trailers",
        "x-plain": "kept",
      },
    });
    expect(heads[0]).toMatchObject({ method: "GET", path: "/api/x?q=1", grant: grant.record.id });
    const names = heads[0]?.headers.map(([name]) => name) ?? [];
    expect(names).toContain("x-plain");
    expect(
      names.filter((name) => /^(cookie|authorization|te|host|mf-|cf-|x-partykit)/.test(name)),
    ).toEqual([]);
    expect(answer.headers["x-own"]).toBe("1");
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });
});

describe("faults", () => {
  test("R3 a fault in the room is a code and a sentence, over HTTP and on sockets", async () => {
    const broken = await TestBridge.up(relay, newWorkspace("broken"));
    const grant = await broken.grant("edit");
    const answer = await relay.ask(`/w/${broken.workspace}/x`, { token: grant.token });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toEqual({
      code: "internal",
      error: "Internal error in the relay. Please try again.",
    });
    const peer = relay.peer(broken.workspace, grant.token);
    expect(await peer.close()).toMatchObject({ code: 1011 });
    expect(peer.texts).toEqual([]);
  });
});

describe("Host and Origin on loopback", () => {
  const hosts = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

  test("R7 the loopback names with our port are taken, with their own origin or none", async () => {
    for (const host of hosts(relay.port)) {
      const path = `/w/${workspace}/health`;
      expect((await relay.ask(path, { headers: { host } })).status).toBe(200);
      const headers = { host, origin: `http://${host}` };
      expect((await relay.ask(path, { headers })).status).toBe(200);
    }
  });

  test("R7 any other Host is 403", async () => {
    const port = relay.port;
    const hostile = ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`];
    for (const host of hostile) {
      const answer = await relay.ask(`/w/${workspace}`, { headers: { host } });
      expect([host, answer.status]).toEqual([host, 403]);
      expect(JSON.parse(answer.text)).toMatchObject({ code: "wrong_origin" });
    }
  });

  test("R7 a URL that the client made up for Miniflare does not stand in for the Host", async () => {
    const headers = {
      host: "evil.example",
      "mf-original-url": `http://${relay.host}/w/${workspace}`,
    };
    expect((await relay.ask("/", { headers })).status).toBe(403);
  });

  test("R7 any other Origin is 403, null too, for pages and sockets", async () => {
    const origins = ["null", "http://evil.example", `https://${relay.host}`, "http://127.0.0.1:1"];
    for (const origin of origins) {
      expect((await relay.ask(`/w/${workspace}`, { headers: { origin } })).status).toBe(403);
      const path = `/parties/workspace/${workspace}`;
      const socket = relay.dial(path, [PLAIN_SUBPROTOCOL, token], { origin });
      await expect(socket.opened).rejects.toThrow("403");
    }
  });
});

describe("sockets", () => {
  test("R8 a stock PartySocket connects with the token among its subprotocols", async () => {
    const client = new PartySocket({
      host: relay.host,
      party: "workspace",
      room: workspace,
      protocols: [PLAIN_SUBPROTOCOL, token],
      WebSocket,
    });
    try {
      const opened = new Promise((resolve) => client.addEventListener("open", resolve));
      await within(opened, "PartySocket did not connect");
      expect(client.protocol).toBe(PLAIN_SUBPROTOCOL);
      const { stream } = await bridge.next("peerJoined");
      client.send("hello");
      expect(await bridge.nextText(stream)).toBe("hello");
    } finally {
      client.close();
    }
    await bridge.next("peerLeft");
  });

  test("R8 subprotocols without ours are refused with a sentence", async () => {
    const headers = { ...upgrade, "sec-websocket-protocol": `other, ${token}` };
    const answer = await relay.ask(`/parties/workspace/${workspace}`, { headers });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(PLAIN_SUBPROTOCOL);
    expect(answer.text).not.toContain(token);
  });

  test("R8 a client may bring its token as a bearer and no subprotocol", async () => {
    const headers = { authorization: `Bearer ${token}` };
    const socket = relay.dial(`/parties/workspace/${workspace}`, [], headers);
    expect(await within(socket.opened, "the peer did not get in")).toBe("");
    await bridge.next("peerJoined");
    socket.end();
    await bridge.next("peerLeft");
  });
});

describe("headers", () => {
  test.each(["/", "/w/some-room", "/assets/app-0123abcd.js", "/nothing", "/w/some-room/health"])(
    "R17 %s carries the security headers",
    async (path) => {
      const { headers } = await relay.ask(path);
      expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["referrer-policy"]).toBe("no-referrer");
      expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    },
  );

  test("R17 the page is the page, and built files are kept for ever", async () => {
    expect((await relay.ask("/w/some-room")).text).toContain("<title>pairpty</title>");
    const { headers } = await relay.ask("/assets/app-0123abcd.js");
    expect(headers["cache-control"]).toContain("immutable");
    expect((await relay.ask("/w/some-room", { method: "POST" })).status).toBe(405);
  });

  test("R59 a token in a query is refused, and no token is ever logged", async () => {
    const answer = await relay.ask(`/w/${workspace}/mcp?token=${token}`);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(token);
    expect((await relay.ask(`/w/${workspace}/health?t=${token}`)).status).toBe(400);
    expect(relay.log.join("")).toContain(`room ${workspace}: link`);
    expect(relay.log.join("")).not.toContain(token);
  });
});

describe("health", () => {
  test("R16 without a token it says the same of every workspace", async () => {
    const known = await relay.ask(`/w/${workspace}/health`);
    const unknown = await relay.ask(`/w/${newWorkspace()}/health`);
    const alike = { relay: "ok", now: expect.any(Number) };
    expect(JSON.parse(known.text)).toEqual(alike);
    expect(JSON.parse(unknown.text)).toEqual(alike);
  });

  test("R16 with a token it goes through the link and back; with a bad one it is 401", async () => {
    const served = await TestBridge.up(relay, newWorkspace());
    served.serve((path) => ({ body: `answered ${path}` }));
    const grant = await served.grant("agent");
    const path = `/w/${served.workspace}/health`;
    expect((await relay.ask(path, { token: grant.token })).text).toBe("answered /health");
    expect((await relay.ask(path, { token: "nonsense" })).status).toBe(401);
  });
});
