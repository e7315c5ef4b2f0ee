// docs/self-hosting.md and docs/cloudflare.md as they stand: their commands are run, their proxies
// carry a room, and what they say of flags and limits is so.

import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createConnection } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import { MAX_HTTP_BODY, MAX_PEERS, MAX_REQUESTS_PER_GRANT, MiB } from "../../protocol/limits.ts";
import { blockWith, firstLine, interrupt, runScript } from "../support/documents.ts";
import { installFaults } from "../support/installing.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import { listProcesses } from "../support/processes.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { passOver } from "../support/required.ts";
import { makeAuthority } from "../support/tls-pipe.ts";
import { until } from "../support/waiting.ts";

const PAGE = "docs/self-hosting.md";
const CLOUDFLARE = "docs/cloudflare.md";
/** The page's own port may be in use here. */
const PORT = "8787";

test("N6 FR7 the page's first try works: a relay, its health, what installs the page, and a bridge on it", async () => {
  await using place = new Place();
  const port = String(await findFreePort());
  const withPort = (script: string) => script.replaceAll(PORT, port);
  const first = blockWith(PAGE, "sh", "pairpty relay\n").trim();
  const relay = runScript(place, `${first} --port ${port}`);
  expect(await firstLine(relay)).toBe(`http://127.0.0.1:${port}`);
  const health = /`curl (\S+)`/.exec(readFileSync(PAGE, "utf8"))?.[1] ?? "";
  const answer = await fetch(withPort(health));
  expect(await answer.json()).toMatchObject({ relay: "ok" });
  expect(await installFaults(Number(port))).toEqual([]);
  const bridge = runScript(place, withPort(blockWith(PAGE, "sh", "--relay http://")));
  expect(await firstLine(bridge)).toMatch(
    new RegExp(`^edit http://127.0.0.1:${port}/w/[a-z0-9]+#pp2_`),
  );
  expect(await interrupt(bridge)).toBe(0);
  expect(await interrupt(relay)).toBe(0);
  expect(listProcesses(place.root)).toEqual([]);
});

test("N5 N17 the page's key and the unit's command make a relay that is not for everyone", async () => {
  await using place = new Place();
  const made = runScript(place, blockWith(PAGE, "sh", "> relay.env"));
  expect((await once(made, "exit"))[0]).toBe(0);
  const file = join(place.folder, "relay.env");
  expect(statSync(file).mode & 0o077).toBe(0);
  const unit = blockWith(PAGE, "ini", "ExecStart=");
  const command = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  const port = String(await findFreePort());
  const script = command
    .replace("/opt/pairpty/node_modules/.bin/pairpty", "exec pairpty")
    .replace("/var/lib/pairpty", join(place.root, "data"))
    .replace(PORT, port);
  const relay = runScript(place, `set -a; . ./relay.env\n${script} --json`);
  expect(JSON.parse(await firstLine(relay))).toMatchObject({ event: "ready", key: true });
  relay.kill("SIGTERM");
  expect((await once(relay, "exit"))[0]).toBe(0);
  const verified = spawnSync("systemd-analyze", ["--version"]);
  if (verified.status !== 0) return passOver("systemd", verified.error ?? "no systemd-analyze");
  const service = join(place.root, "pairpty-relay.service");
  writeFileSync(service, unit.replace(/ExecStart=\S+/, "ExecStart=/bin/true"));
  const result = spawnSync("systemd-analyze", ["verify", service], { encoding: "utf8" });
  expect(result.stderr).not.toContain("pairpty-relay.service:");
  return undefined;
});

const CERTIFICATES = /\/etc\/letsencrypt\/live\/relay\.example\.com\/(fullchain|privkey)\.pem/g;

/** What the page says, with this test's port, certificate and folder. */
const PROXIES = {
  nginx: (folder: string, port: number, relay: number) => {
    const site = blockWith(PAGE, "nginx", "proxy_pass")
      .replace("443", `127.0.0.1:${port}`)
      .replace(PORT, String(relay))
      .replace(CERTIFICATES, (_all, name) => join(folder, name === "privkey" ? "key" : "cert"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/tmp;`)
      .join("\n");
    const config = `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1;
events {}
http { access_log off; ${temporary}
${site} }`;
    writeFileSync(join(folder, "nginx.conf"), config);
    return ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")];
  },
  caddy: (folder: string, port: number, relay: number) => {
    const site = blockWith(PAGE, "caddyfile", "reverse_proxy")
      .replace(
        "relay.example.com {",
        `https://127.0.0.1:${port} {\n\ttls ${folder}/cert ${folder}/key`,
      )
      .replace(PORT, String(relay));
    writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
    return ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
  },
} as const;

describe.each(["nginx", "caddy"] as const)("the page's %s", (name) => {
  test.skipIf(!isInstalled(name))(
    "N9 carries bridge, page, terminal and agents' streams",
    async () => {
      using authority = makeAuthority(["127.0.0.1"]);
      await using place = new Place({
        RELAY_KEY,
        PAIRPTY_RELAY_KEY: RELAY_KEY,
        NODE_EXTRA_CA_CERTS: authority.file,
      });
      writeFileSync(join(place.root, "key"), authority.key);
      writeFileSync(join(place.root, "cert"), authority.certificate);
      const relay = await OwnRelay.start(place);
      const port = await findFreePort();
      const args = PROXIES[name](place.root, port, relay.port);
      const proxy = spawn(name, args, {
        env: place.environment,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let complaints = "";
      proxy.stderr.on("data", (chunk: Buffer) => {
        complaints += chunk.toString();
      });
      try {
        await until(
          () => `${name} listens: ${complaints}`,
          () => isOpen(port),
          { milliseconds: 20_000 },
        );
        const product = await place.start("--relay", `https://127.0.0.1:${port}`, "--e2e", "off");
        const ca = readFileSync(authority.file, "utf8");
        const { links, tokens, endpoints } = product.ready;
        expect((await ask(links.view, ca)).text).toContain("<title>");
        const made = await ask(links.edit.replace(/#.*/, "/pty/spawn"), ca, {
          token: tokens.edit,
          body: JSON.stringify({ command: ["/bin/cat"] }),
        });
        const { id }: { id: string } = JSON.parse(made.text);
        using client = await PlainClient.connect(endpoints.peer, tokens.edit, { ca });
        client.attach(id);
        client.type(id, `through ${name}\n`);
        await client.shows(id, new RegExp(`through ${name}\r\nthrough ${name}`));
        // An agent's call that waits is a stream, and comes while it waits.
        const waited = await ask(endpoints.mcp, ca, {
          token: tokens.agent,
          body: waitFor(id),
          headers: MCP_HEADERS,
        });
        expect(waited.pieces).toBeGreaterThan(1);
        expect(waited.text).toContain(`through ${name}`);
        await product.stop();
      } finally {
        proxy.kill("SIGTERM");
        await once(proxy, "exit");
        await relay.stop();
      }
      return undefined;
    },
    60_000,
  );
});

function isInstalled(name: "nginx" | "caddy"): boolean {
  const { status, error } = spawnSync(name, [name === "nginx" ? "-v" : "version"]);
  if (status !== 0) passOver(name, error ?? `no ${name}`);
  return status === 0;
}

test("N10 FR7 the Worker and its page can be deployed as the page says, and then installed", async () => {
  const commands = blockWith(CLOUDFLARE, "sh", "--dry-run").trim().split("\n");
  expect(commands).toEqual(["npm run build", "npx wrangler deploy --dry-run"]);
  await using place = new Place({ WRANGLER_SEND_METRICS: "false" });
  // The build is there; building again would take it from under other tests.
  // What npx finds here: finding it costs as much again.
  const wrangler = join("node_modules", ".bin", "wrangler");
  const args = ["deploy", "--dry-run", "--outdir", join(place.root, "out")];
  const result = await promisify(execFile)(wrangler, args, { env: place.environment });
  for (const line of ["env.WORKSPACE (WorkspaceRoom)", "env.ASSETS"]) {
    expect(result.stdout).toContain(line);
  }
  const worker = readFileSync(join(place.root, "out", "worker.js"), "utf8");
  expect(worker).toContain("WorkspaceRoom");
  const port = await findFreePort();
  // Only this test waits for it to load, which takes longer than workerd.
  const { Miniflare } = await import("miniflare");
  const deployed = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.js", contents: worker }],
    host: "127.0.0.1",
    port,
    compatibilityDate: "2026-04-26",
    durableObjects: { WORKSPACE: { className: "WorkspaceRoom", useSQLite: true } },
    assets: {
      directory: "dist/web",
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
    },
  });
  try {
    await deployed.ready;
    expect(await installFaults(port)).toEqual([]);
  } finally {
    await deployed.dispose();
  }
}, 60_000);

test("N10 the page's limits and settings are the program's", () => {
  const page = readFileSync(CLOUDFLARE, "utf8");
  expect(page).toContain(`| ${MAX_PEERS} people in a room `);
  expect(page).toContain(`| ${MAX_REQUESTS_PER_GRANT} requests at once per grant `);
  expect(page).toContain(`| ${MAX_HTTP_BODY / MiB} MiB in a request `);
  const settings = readFileSync("relay/env.ts", "utf8").match(/readonly [A-Z_]+\?: string/g) ?? [];
  expect(settings.length).toBeGreaterThan(2);
  for (const setting of settings) {
    expect(page).toContain(`\`${setting.replace(/readonly |\?: string/g, "")}\``);
  }
});

test("N5 the flags that the page lists are those of pairpty relay", async () => {
  await using place = new Place();
  const { stdout } = await place.ask(["relay", "--help"]);
  const flags = (text: string) =>
    new Set(text.match(/^(?:\| `|  )(--[a-z-]+)/gm)?.map((flag) => flag.replace(/^\W*--/, "")));
  expect(flags(readFileSync(PAGE, "utf8"))).toEqual(flags(stdout));
});

/** A call that waits longer than the stream's keep-alive is apart. */
function waitFor(terminalId: string): string {
  const prefix = "io.modelcontextprotocol";
  return JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "read_terminal",
      arguments: { terminalId, waitFor: { pattern: "never printed" }, timeoutMs: 6_000 },
      _meta: {
        [`${prefix}/protocolVersion`]: MCP_HEADERS["mcp-protocol-version"],
        [`${prefix}/clientInfo`]: { name: "test", version: "1" },
        [`${prefix}/clientCapabilities`]: {},
      },
    },
  });
}

const MCP_HEADERS = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "read_terminal",
};

interface Asking {
  readonly token: string;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

/** As `fetch`, trusting an authority that this process does not. */
function ask(url: string, ca: string, asking?: Asking): Promise<{ text: string; pieces: number }> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(asking === undefined ? {} : { authorization: `Bearer ${asking.token}` }),
    ...asking?.headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, method: asking === undefined ? "GET" : "POST", headers });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      let pieces = 0;
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        pieces++;
      });
      response.on("end", () => resolve({ text, pieces }));
    });
    sent.end(asking?.body);
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
