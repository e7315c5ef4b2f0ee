// `pairpty status`, and the tables that people ask for.

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestBridge } from "../../bridge/doors/control/control-client.ts";
import type { Status } from "../../bridge/doors/control/control-requests.ts";
import { CuttableProxy } from "../support/cuttable.ts";
import { CLI, Place, Product } from "../support/product.ts";
import { TestRelay } from "../support/relay.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

async function statusIn(place: Place): Promise<Status> {
  const { code, stdout, stderr } = await place.run(["status", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** A client that answers pings, as our page does. */
function answerPings(client: PlainClient): void {
  client.onMessage = (message) => {
    if (message.type !== "pairpty:ping") return;
    client.send({ type: "pairpty:pong", n: message["n"] });
  };
}

describe("a bridge on this machine", () => {
  let place: Place;
  let product: Product;
  let id = "";
  beforeAll(async () => {
    place = new Place();
    product = await place.start();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("C1 tables are for stdout: `pairpty ls | grep` finds what is there", async () => {
    const empty = await place.run(["ls"]);
    expect(empty).toEqual({ code: 0, stdout: "", stderr: "No open terminals.\n" });
    ({ id } = await product.open({ command: ["/bin/cat"] }));
    const list = await place.run(["ls"]);
    expect([list.code, list.stderr]).toEqual([0, ""]);
    expect(list.stdout).toMatch(
      new RegExp(`^${id}\\s+1\\s+user\\s+none\\s+80×24\\s+/bin/cat`, "m"),
    );
    const grants = await place.run(["grants"]);
    expect([grants.code, grants.stderr]).toEqual([0, ""]);
    expect(grants.stdout).toMatch(/^\w{10}\s+edit\s+pairpty stops/m);
    const log = await place.run(["audit"]);
    expect([log.code, log.stderr]).toEqual([0, ""]);
    expect(log.stdout).toContain("granted");
    expect(log.stdout).toContain(`${id}  terminal created`);
  });

  test("GR20 C64 S29 rename counts whoever is at this machine as one, is audited with who and what, and says what is allowed", async () => {
    const socket = join(place.runtimeFolder(), "bridge.sock");
    // Each is a connection of its own, as each verb is, and all come at once.
    const asked = Array.from({ length: 11 }, (_, at) =>
      requestBridge(socket, { verb: "rename", id, name: `name ${at}` }),
    );
    const results = await Promise.allSettled(asked);
    const refused = results.filter(({ status }) => status === "rejected");
    expect(refused).toEqual([
      {
        status: "rejected",
        reason: expect.objectContaining({ message: expect.stringContaining("10 times") }),
      },
    ]);
    const tooLong = await place.run(["rename", id, "x".repeat(201)]);
    expect([tooLong.code, tooLong.stderr]).toEqual([
      2,
      expect.stringContaining("the name has at most 200 characters"),
    ]);
    const { stdout } = await place.run(["audit"]);
    expect(stdout).toMatch(/command line.*terminal renamed.*"name":"name 0"/);
    expect(stdout).not.toContain("terminal changed");
  });

  test("C8 C61 status tells link, relay, both legs' latency, people, terminals and grants", async () => {
    const { endpoints, tokens, workspace, relay } = product.ready;
    const shared = await place.run(["share", "--label", "Ada", "--json"]);
    using ada = new PlainClient(endpoints.peer, JSON.parse(shared.stdout).token);
    answerPings(ada);
    await ada.ofType("pty:terminals");
    ada.attach(id);
    await ada.ofType("pty:attached");
    // Written from the protocol's text: knows no ping, and is not disturbed by one.
    using plain = await PlainClient.connect(endpoints.peer, tokens.edit);
    await plain.ofType("pty:terminals");

    const before = Date.now();
    const status = await statusIn(place);
    const some = expect.any(Number);
    expect(status).toMatchObject({
      workspace,
      folder: place.folder,
      relay,
      embedded: true,
      link: "up",
      latency: { relayMs: some, ptyHostMs: some },
      terminals: 1,
      terminalsBy: { user: 1, agent: 0 },
      grants: 5,
      grantsBy: { view: 2, edit: 2, agent: 1 },
      pid: product.pid,
      node: process.versions.node,
    });
    expect(status.problem).toBeUndefined();
    expect(status.startedAt).toBeLessThanOrEqual(before);
    expect(status.linkSince).toBeLessThanOrEqual(before);
    const [first, second] = status.people;
    expect(first).toMatchObject({ label: "Ada", role: "view", attached: [id] });
    expect(first).toMatchObject({ roundTripMs: some, relayMs: some });
    expect(second).toMatchObject({ label: "", role: "edit", attached: [] });
    expect(second).toMatchObject({ roundTripMs: null, relayMs: null });
    expect(plain.messages.filter(({ type }) => type === "pty:error")).toEqual([]);

    const { stdout, stderr } = await place.run(["status"]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^relay +http:\S+ \(embedded, on this machine\)$/m);
    expect(stdout).toMatch(/^link +up for \d+ s$/m);
    expect(stdout).toMatch(/^latency +bridge ⇄ relay [\d.]+ ms, bridge ⇄ pty host [\d.]+ ms$/m);
    expect(stdout).toMatch(/^terminals +1 \(1 yours\)$/m);
    expect(stdout).toMatch(new RegExp(`^Ada +view +\\d+ s ago +[\\d.]+ ms +${id}$`, "m"));
    expect(stdout).toMatch(/^edit link +edit +\d+ s ago +unknown$/m);
  });
});

test("C8 C76 C62 status answers while a bridge is starting, which with --json says nothing yet, and while its link is down: since when, why, and when it is tried again; one that does not answer is told of", async () => {
  const relay = await TestRelay.start({ loopback: false, relayKey: "key" });
  await using cable = await CuttableProxy.start(relay.port);
  await using place = new Place({ PAIRPTY_RELAY_KEY: "key" });
  // Accepts and does not answer yet: the bridge waits for its relay.
  const release = cable.hold();
  const args = ["--json", "--no-open", "--relay", `http://127.0.0.1:${cable.port}`];
  const product = new Product(place, CLI, args);
  await until("the bridge calls", () => cable.connections > 0);
  expect(await statusIn(place)).toMatchObject({ link: "down", problem: "no answer yet" });
  expect(product.events, "C14 links that work").toEqual([]);
  release();
  await product.becomesReady();
  expect(await statusIn(place)).toMatchObject({ link: "up", embedded: false });
  // Nothing comes back, and nothing says so: what is measured then is unknown.
  cable.stall();
  expect(await statusIn(place)).toMatchObject({ latency: { relayMs: null } });
  cable.refuse(true);
  cable.cut();
  await product.event("link_lost");
  const down = await statusIn(place);
  expect(down).toMatchObject({ link: "down", problem: expect.stringMatching(/./) });
  expect(down.latency).toEqual({ relayMs: null, ptyHostMs: expect.any(Number) });
  expect(down).toHaveProperty("retryAt");
  const { stdout } = await place.run(["status"]);
  expect(stdout).toMatch(/^link +down for \d+ s: .+; (next attempt in \d+ s|connecting now)$/m);
  const from = product.events.length;
  cable.refuse(false);
  await product.event("link_up", { from });
  expect(await statusIn(place)).toMatchObject({ link: "up" });
  // One that can answer nothing at all.
  product.child.kill("SIGSTOP");
  const status = await place.run(["status"]);
  expect([status.code, status.stderr]).toEqual([
    5,
    expect.stringMatching(/does not answer within \d s\n.*still be starting/),
  ]);
  await product.kill();
  await relay.stop();
});
