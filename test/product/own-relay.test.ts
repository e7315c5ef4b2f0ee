// A relay of one's own: whom it takes, what it keeps, and how it ends.

import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { findFreePort } from "../../bridge/workerd/free-port.ts";
import { OwnRelay, RELAY_KEY } from "../support/own-relay.ts";
import { ended, listeningPorts, listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { askRelay } from "../support/http.ts";
import { CLI, Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

const CAT = { command: ["/bin/cat"] };
/** `ExitCode.refused`. */
const REFUSED_RELAY = 4;

test("N5 N15 a relay that others can reach needs RELAY_KEY, and says how to make one", async () => {
  await using place = new Place();
  const data = join(place.root, "data");
  const cases: [string[], string | undefined, RegExp][] = [
    [["--host", "0.0.0.0"], undefined, /a relay on 0\.0\.0\.0 is reachable by others.*RELAY_KEY/],
    [["--host", "::"], undefined, /a relay on :: is reachable by others/],
    [["--host", "relay.example.com"], undefined, /RELAY_KEY=\$\(node -p .*\)/],
    [[], "", /RELAY_KEY is empty/],
    [[], "too short", /RELAY_KEY has 9 characters/],
    [["--allowed-origin", "https://app.example"], undefined, /--allowed-origin is for a relay/],
    [["--allowed-origin", "https://app.example/"], RELAY_KEY, /is not an origin/],
    [["--host", "not/a/host"], RELAY_KEY, /"not\/a\/host" is not a host/],
  ];
  for (const [args, key, sentence] of cases) {
    const extra = key === undefined ? {} : { RELAY_KEY: key };
    const result = await place.ask(["relay", "--data", data, ...args], extra);
    expect([result.code, result.stdout, result.stderr]).toEqual([
      2,
      "",
      expect.stringMatching(sentence),
    ]);
  }
  // A mistake in the call leaves nothing behind.
  expect(existsSync(data)).toBe(false);
});

/** One for every room that was woken. */
function roomFiles(relay: OwnRelay): string[] {
  const all = readdirSync(join(relay.ready.data, "rooms"), { recursive: true, encoding: "utf8" });
  return all.filter((path) => /[0-9a-f]{64}\.sqlite$/.test(path));
}

/** One data folder and a bridge on its relay: each test goes on where the one before it ended. */
describe("a relay and a bridge", () => {
  const origins = ["https://app.example", "https://other.example"];
  let place: Place;
  let relay: OwnRelay;
  let product: Product;

  beforeAll(async () => {
    place = new Place({ RELAY_KEY, PAIRPTY_RELAY_KEY: RELAY_KEY });
    relay = await OwnRelay.start(place, undefined, "--allowed-origin", ...origins);
    product = await place.start("--relay", relay.ready.relay, "--e2e", "off");
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("R4 R48 N13 N21 strangers leave no file: without a token, or by a made-up one, none is made, the others are swept", async () => {
    const claimed = roomFiles(relay);
    expect(claimed).toHaveLength(1);
    const room = (name: string) => `${relay.ready.relay}/w/${name}`;
    expect((await askRelay(`${room("stranger-1")}/pty`)).status).toBe(401);
    const posted = await askRelay(`${room("stranger-2")}/mcp`, { method: "POST", body: "{}" });
    expect(posted.status).toBe(401);
    const socket = new WebSocket(`ws://127.0.0.1:${relay.port}/parties/workspace/stranger-3`);
    expect((await once(socket, "close"))[0]).toBe(4401);
    const authorization = `Bearer pp_${"a".repeat(10)}_${"b".repeat(32)}`;
    const madeUp = await askRelay(`${room("stranger-4")}/pty`, { headers: { authorization } });
    expect(madeUp.status).toBe(404);
    expect(roomFiles(relay)).toEqual(claimed);
    const bridge = new WebSocket(`ws://127.0.0.1:${relay.port}/w/stranger-5/bridge`);
    await once(bridge, "message");
    bridge.terminate();
    expect(roomFiles(relay)).toHaveLength(claimed.length + 1);
    // The claim is still in a log beside its file: that counts as well.
    await relay.kill();
    process.kill(relay.ready.workerd, "SIGKILL");
    relay = await OwnRelay.start(place, relay.port, "--allowed-origin", ...origins);
    expect(roomFiles(relay)).toEqual(expect.arrayContaining(claimed));
    // A log that was cut off in the middle is nobody's to judge, whoever's it was.
    const { data } = relay.ready;
    const hasLog = (path: string) =>
      (statSync(join(data, "rooms", `${path}-wal`), { throwIfNoEntry: false })?.size ?? 0) > 0;
    const kept = roomFiles(relay).filter((path) => claimed.includes(path) || !hasLog(path));
    expect(kept.toSorted()).toEqual(claimed.toSorted());
    await until("the bridge is back", async () => (await product.http("/pty")).status === 200);
  });

  test("N6 R6 L5 a bridge with the key brings a workspace, one without is refused, and pages and terminals work", async () => {
    expect(relay.ready).toMatchObject({ key: true, relay: `http://127.0.0.1:${relay.port}` });
    await using stranger = new Place();
    // A missing key is told from a wrong one beside the code: relay/room/hello.test.ts.
    const refused = await stranger.ask(["--json", "--relay", relay.ready.relay], {
      PAIRPTY_RELAY_KEY: "another key",
    });
    expect([refused.code, refused.stderr]).toEqual([
      REFUSED_RELAY,
      expect.stringMatching(/refused[^]*Wrong relay key\.\n.*set PAIRPTY_RELAY_KEY/),
    ]);
    const { id } = await product.open(CAT);
    const { endpoints, tokens, links } = product.ready;
    using client = await PlainClient.connect(endpoints.peer, tokens.edit);
    client.attach(id);
    client.type(id, "hello\n");
    await client.shows(id, /hello\r\nhello/);
    const page = await askRelay(links.edit);
    expect([page.status, page.headers.get("content-security-policy")]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ]);
    const health = await askRelay(`${relay.ready.relay}/w/any/health`);
    expect(await health.json()).toMatchObject({ relay: "ok" });
    // Nobody else's business: one port, and of the environment the key alone.
    const { pid, workerd } = relay.ready;
    expect([pid, workerd].flatMap(listeningPorts)).toEqual([relay.port]);
    expect(readFileSync(`/proc/${workerd}/environ`, "utf8")).toBe(`RELAY_KEY=${RELAY_KEY}\0`);
    expect(readFileSync(join(relay.ready.data, "tmp", "relay.capnp"), "utf8")).not.toContain(
      RELAY_KEY,
    );
  });

  test("N9 N20 --allowed-origin lets other pages in; headers of proxies say nothing", async () => {
    const ask = (headers: Record<string, string>) =>
      askRelay(`${relay.ready.relay}/w/any/health`, { headers });
    for (const origin of origins) {
      const asked = await ask({ origin });
      expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    }
    // Else a page is of this relay when its origin is the Host.
    const outside = "https://relay.example.com";
    expect((await ask({ origin: outside })).status).toBe(403);
    const forwarded = { "x-forwarded-host": "relay.example.com", "x-forwarded-proto": "https" };
    expect((await ask({ ...forwarded, origin: outside })).status).toBe(403);
    expect((await ask({ origin: `https://127.0.0.1:${relay.port}` })).status).toBe(200);
  });

  test("N8 a workerd that dies is replaced on the same port, and the bridge goes on", async () => {
    const from = product.events.length;
    process.kill(relay.ready.workerd, "SIGKILL");
    const { workerd } = await relay.event("restarted");
    expect(workerd).not.toBe(relay.ready.workerd);
    await product.event("link_up", { from });
    expect((await product.http("/health")).status).toBe(200);
  });

  test("N7 N17 claims and grants survive a restart, which leaves nothing; no one else gets the workspace", async () => {
    const { workspace } = product.ready;
    const shared = await place.run(["share", "--role", "view", "--json"]);
    const { token }: { token: string } = JSON.parse(shared.stdout);
    const health = `${relay.ready.relay}/w/${workspace}/health`;
    const asked = () => askRelay(health, { headers: { authorization: `Bearer ${token}` } });
    expect((await asked()).status).toBe(200);
    await product.stop();
    expect(await relay.stop()).toBe(0);
    expect(relay.events.at(-1)).toEqual({ event: "stopped" });
    expect(listProcesses(place.root)).toEqual([]);
    expect(readdirSync(relay.ready.data)).toEqual(["logs", "rooms"]);
    expect(statSync(join(relay.ready.data, "rooms")).mode & 0o077).toBe(0);

    relay = await OwnRelay.start(place, relay.port);
    // The grant is known before any bridge is back, so that it is told apart from a bad token.
    expect((await asked()).status).toBe(503);
    await using stranger = new Place({ PAIRPTY_RELAY_KEY: RELAY_KEY });
    const args = ["--json", "--relay", relay.ready.relay, "--workspace", workspace];
    expect(await stranger.ask(args)).toMatchObject({
      code: REFUSED_RELAY,
      stderr: expect.stringContaining("belongs to another key"),
    });
    // The owner's own key counts; the relay's is needed for the claim alone.
    delete place.environment["PAIRPTY_RELAY_KEY"];
    product = await place.start("--relay", relay.ready.relay, "--e2e", "off");
    expect(product.ready.workspace).toBe(workspace);
    expect((await asked()).status).toBe(200);
    await product.stop();
  });

  test("N18 N19 C27 what a killed relay left is ended by the next, on any port; while one runs, its folder is its own", async () => {
    const first = relay;
    const taken = await place.ask(["relay", "--port", "1", "--data", first.ready.data]);
    expect([taken.code, taken.stderr]).toEqual([
      5,
      expect.stringContaining(`another relay (process ${first.ready.pid}) uses the data folder`),
    ]);
    await first.kill();
    expect(listProcesses(place.root)).toContain(first.ready.workerd);
    relay = await OwnRelay.start(place, 0);
    await ended(first.ready.workerd);
    // Port 0 is a free one, which it says, and keeps.
    expect(Number(new URL(relay.ready.relay).port)).toBeGreaterThan(0);
    const answers = async () => (await askRelay(`${relay.ready.relay}/w/any/health`)).status;
    expect(await answers()).toBe(200);
    process.kill(relay.ready.workerd, "SIGKILL");
    await relay.event("restarted");
    expect(await answers()).toBe(200);
  });

  test("O14 a relay logs JSON lines below its data, masked, and `pairpty logs` shows them", async () => {
    const { data, pid } = relay.ready;
    const file = join(data, "logs", "relay.log");
    expect(statSync(join(data, "logs")).mode & 0o077).toBe(0);
    expect(statSync(file).mode & 0o077).toBe(0);
    const following = place.spawn(CLI, ["logs", "--data", data, "--follow", "--json"]);
    const lines = createInterface({ input: following.stdout ?? process.stdin });
    const stopping = (async () => {
      for await (const line of lines) {
        if (line.includes("stopping: SIGTERM") && JSON.parse(line).pid === pid) return line;
      }
      return "";
    })();
    const { stdout } = await place.run(["logs", "--data", data]);
    expect(stdout).toMatch(/info +relay +starting: pairpty \S+, node \S+/);
    expect(stdout).toMatch(/warn +relay +workerd \d+ died/);
    expect(await relay.stop()).toBe(0);
    expect(JSON.parse(await stopping)).toMatchObject({ level: "info", source: "relay", pid });
    following.kill();
    const worse = await place.run(["logs", "--data", data, "--level", "warn", "--json"]);
    for (const line of worse.stdout.trim().split("\n")) {
      expect(JSON.parse(line)).toMatchObject({
        source: "relay",
        level: expect.stringMatching(/warn|error/),
      });
    }
    expect(readFileSync(file, "utf8")).not.toContain(RELAY_KEY);
    // A start that fails is written down, too; what is no relay's folder is told.
    const busy = await findFreePort();
    const taken = createServer().listen(busy, "127.0.0.1");
    await once(taken, "listening");
    expect((await place.run(["relay", "--data", data, "--port", String(busy)])).code).toBe(5);
    taken.close();
    expect((await place.run(["logs", "--data", data, "--level", "error"])).stdout).toMatch(
      /not started: port \d+ is in use/,
    );
    const none = await place.run(["logs", "--data", place.folder]);
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining("no relay has written logs"),
    ]);
    expect((await place.run(["logs", "--data"])).code).toBe(2);
  });
});

test("N11 a port in use, a folder that cannot be had and a host that is not here are told, and leave nothing", async () => {
  await using place = new Place({ RELAY_KEY });
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
  const file = join(place.root, "file");
  writeFileSync(file, "");
  const data = join(place.root, "data");
  mkdirSync(data);
  const cases: [string[], number, RegExp][] = [
    [["--port", String(port), "--data", data], 5, /port \d+ is in use by another program/],
    [["--data", join(file, "inside")], 2, /data folder .*file\/inside cannot be used: ENOTDIR/],
    [["--data", "/proc/pairpty"], 2, /data folder \/proc\/pairpty cannot be used: ENOENT/],
    [["--host", "192.0.2.1", "--data", data], 2, /192\.0\.2\.1 is not an address of this machine/],
    [["--port", "65536", "--data", data], 2, /A port is a number/],
  ];
  for (const [args, code, sentence] of cases) {
    const result = await (code === 2
      ? place.ask(["relay", ...args])
      : place.run(["relay", ...args]));
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(sentence)]);
  }
  server.close();
  expect(readdirSync(data)).toEqual(["logs", "rooms"]);
  expect(listProcesses(place.root)).toEqual([]);
});

test("N4 where workerd cannot run, start and relay say why in one sentence, exit 5 and leave nothing", async () => {
  await using place = new Place();
  const app = join(place.root, "app");
  const modules = join(app, "node_modules");
  mkdirSync(join(modules, "workerd"), { recursive: true });
  for (const part of ["bridge", "relay", "web"]) {
    const isNeeded = (path: string) => !path.endsWith(".map");
    cpSync(join("dist", part), join(app, "dist", part), { recursive: true, filter: isNeeded });
  }
  symlinkSync(join(process.cwd(), "node_modules", "node-pty"), join(modules, "node-pty"));
  // A workerd as an old system's loader would leave it.
  const program = join(modules, "workerd", "program");
  const words = "program: /lib/libc.so.6: version \\`GLIBC_2.35' not found (required by program)";
  writeFileSync(program, `#!/bin/sh\necho "${words}" >&2\nexit 1\n`, { mode: 0o755 });
  const entry = `module.exports = { default: ${JSON.stringify(program)} };\n`;
  writeFileSync(join(modules, "workerd", "index.js"), entry);
  const cli = join(app, "dist", "bridge", "cli.js");
  for (const args of [["--json"], ["relay", "--data", join(place.root, "data")]]) {
    const result = await place.runFrom(cli, args);
    expect([result.code, result.stdout, result.stderr.split("\n")]).toEqual([
      5,
      "",
      expect.arrayContaining([
        "error workerd needs glibc 2.35 or newer, and this system's is older",
      ]),
    ]);
    expect(result.stderr).not.toContain("GLIBC_2.35");
  }
  expect(listProcesses(place.root)).toEqual([]);
});
