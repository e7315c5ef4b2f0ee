// `pairpty --tunnel` with a stand-in: real TLS by a public name, a new name, a killed bridge, the end.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning, recordProcess } from "../../bridge/processes/process-record.ts";
import type { Ready } from "../../bridge/doors/control/control-requests.ts";
import { listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { StandInTunnel } from "../support/stand-in-tunnel.ts";
import { Tty } from "../support/tty.ts";
import { until } from "../support/waiting.ts";

const host = (name: string) => `https://${name}.trycloudflare.com`;

let tunnel: StandInTunnel;
let place: Place;
let product: Product;
beforeAll(async () => {
  tunnel = new StandInTunnel(["calm-river", "quiet-lake"], ["cloudflared", "ngrok"]);
  place = new Place({ PATH: `${tunnel.bin}:${process.env["PATH"]}` });
  product = await place.start("--tunnel", "--yes", "--e2e", "off");
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  tunnel[Symbol.dispose]();
});

test("TU5 the ready line has the tunnel's addresses, and those of this machine apart", async () => {
  const { relay, links, endpoints, local, tokens, workspace, tunnel: program } = product.ready;
  expect([program, relay]).toEqual(["cloudflared", host("calm-river")]);
  expect(links.edit).toBe(`${relay}/w/${workspace}#${tokens.edit}`);
  expect(endpoints.mcp).toBe(`${relay}/w/${workspace}/mcp`);
  expect(endpoints.peer).toBe(`wss://calm-river.trycloudflare.com/parties/workspace/${workspace}`);
  expect(local?.relay).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(local?.links.edit).toBe(`${local?.relay}/w/${workspace}#${tokens.edit}`);
  expect(local?.endpoints.health).toBe(`${local?.relay}/w/${workspace}/health`);
  const again = await place.ask(["--json"]);
  expect(JSON.parse(again.stdout)).toEqual(product.publicReady);
  expect((await place.run(["status"])).stdout).toMatch(/tunnel\s+cloudflared, up/);
});

test("TU4 someone elsewhere types in the shell by the public name, and no other name is served", async () => {
  const { endpoints, tokens, links } = product.ready;
  expect((await tunnel.ask(links.edit)).text).toContain("<title>pairpty</title>");
  expect((await tunnel.ask(links.edit, { host: "evil.example" })).status).toBe(403);
  const [url, how] = tunnel.through(endpoints.peer);
  const client = await PlainClient.connect(url, tokens.edit, how);
  const opened = await fetch(
    `${product.ready.local?.relay}/w/${product.ready.workspace}/pty/spawn`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.edit}` },
      body: "{}",
    },
  );
  const { id } = await opened.json();
  client.attach(id);
  client.type(id, "echo from-$((40+2))\r");
  await client.shows(id, "from-42");
  client.close();
});

test("TU37 workerd has the key in its environment, and no file and no argument has it", () => {
  const { processes } = place.relayProcesses();
  const workerd = processes[1]?.pid ?? 0;
  const environment = readFileSync(`/proc/${workerd}/environ`, "utf8");
  const key = /RELAY_KEY=([0-9a-f]{64})/.exec(environment)?.[1] ?? "none";
  expect(key).not.toBe("none");
  const capnp = readFileSync(join(place.runtimeFolder(), "tmp", "relay.capnp"), "utf8");
  expect(capnp).toContain('name = "TUNNEL_HOST", text = "calm-river.trycloudflare.com"');
  expect(capnp).not.toContain(key);
  for (const { pid } of processes) expect(place.readCommand(pid)).not.toContain(key);
});

test("TU6 TU39 TU40 TU41 a tunnel that ends comes back, and its new name is the links' and the relay's", async () => {
  const from = product.events.length;
  process.kill(tunnel.pids.at(-1) ?? 0, "SIGKILL");
  await product.event("tunnel_lost", { from });
  const up = (await product.event("tunnel_up", { from })) as unknown as Ready & { isNew: boolean };
  expect([up.relay, up.isNew]).toEqual([host("quiet-lake"), true]);
  expect(up.links.edit).toContain(`${host("quiet-lake")}/w/`);
  expect((await tunnel.ask(up.links.edit)).status).toBe(200);
  expect((await tunnel.ask(up.links.edit, { host: "calm-river.trycloudflare.com" })).status).toBe(
    403,
  );
  expect(JSON.parse((await place.ask(["--json"])).stdout).links).toEqual(up.links);
  const shared = await place.run(["share", "--json", ...place.code]);
  expect(JSON.parse(shared.stdout).link).toContain(host("quiet-lake"));
});

test("TU7 a killed bridge's tunnel ends, and the next start makes another to the same terminals", async () => {
  const before = recordProcess(tunnel.pids.at(-1) ?? 0);
  await product.kill();
  await until("the tunnel has ended", () => !isRunning(before));
  product = await place.start("--tunnel", "ngrok", "--yes", "--e2e", "off");
  expect(product.ready.tunnel).toBe("ngrok");
  expect((await tunnel.ask(product.ready.links.edit)).status).toBe(200);
  const health = await tunnel.ask(product.ready.endpoints.health, {
    authorization: `Bearer ${product.ready.tokens.view}`,
  });
  expect(JSON.parse(health.text)).toMatchObject({ bridge: "ok", terminals: 1 });
});

test("TU7 stopping ends the tunnel with everything else; the next start without it is loopback's alone", async () => {
  await product.stop();
  expect(listProcesses(place.root)).toEqual([]);
  product = await place.start();
  expect(product.ready).not.toHaveProperty("local");
  const capnp = readFileSync(join(place.runtimeFolder(), "tmp", "relay.capnp"), "utf8");
  expect(capnp).not.toMatch(/TUNNEL_HOST|RELAY_KEY/);
  const differs = await place.ask(["--tunnel", "--yes"]);
  expect([differs.code, differs.stderr]).toEqual([2, expect.stringContaining("--tunnel")]);
  await product.stop();
});

test("TU36 without a terminal to ask on it is refused, and nothing runs", async () => {
  const started = tunnel.pids.length;
  const { code, stderr } = await place.ask(["--tunnel", "--json"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--yes")]);
  expect(tunnel.pids).toHaveLength(started);
  expect(listProcesses(place.root)).toEqual([]);
});

test("TU3 on a terminal it asks first, says who can read along, and no is the default", async () => {
  const started = tunnel.pids.length;
  using tty = Tty.pairpty(place, ["--tunnel", "--e2e", "off"]);
  await tty.shows("Go public through cloudflared?");
  expect(tty.text).toContain("reachable from the internet");
  expect(tty.text).toContain("Cloudflare can read everything that is typed and shown.");
  expect(tunnel.pids).toHaveLength(started);
  tty.type("\r");
  await tty.shows("nothing is public");
  expect(await tty.ends()).toBe(0);
  expect(tunnel.pids).toHaveLength(started);
});

test("TU8 a program that makes no tunnel is an error with its last words, and leaves nothing", async () => {
  tunnel.breaks();
  const { code, stderr } = await place.runFrom(CLI, ["--tunnel", "--yes"]);
  expect(code).toBe(5);
  expect(stderr).toContain("cloudflared could not open a tunnel: it exited with code 1");
  expect(stderr).toContain("failed to request quick Tunnel");
  expect(listProcesses(place.root)).toEqual([]);
});
