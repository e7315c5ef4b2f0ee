// Sealed rooms of the built product: real bridges, real relays, and pages that shake hands.

import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import { CuttableProxy } from "../support/cuttable.ts";
import { TestRelay } from "../support/relay.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { SealedClient, readLink } from "../support/sealed-client.ts";
import { PlainClient } from "../support/plain-client.ts";

const KEY = "a key of the relay's";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start("--e2e", "on");
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
});

type LinkName = "edit" | "view";

async function connect(link: LinkName, { ready }: Product = product): Promise<SealedClient> {
  return await SealedClient.connect({ link: ready.links[link], peer: ready.endpoints.peer });
}

/** Opens a terminal that shows a word. */
async function openTerminal(host: SealedClient): Promise<string> {
  const id = await host.spawn();
  host.attach(id);
  host.type(id, "echo first-$((40 + 2))\r");
  await host.shows(id, /first-42/);
  return id;
}

async function revoke(where: Place, { ready }: Product, link: LinkName): Promise<void> {
  const { link: parsed } = await readLink(ready.links[link]);
  const { code, stderr } = await where.run(["revoke", parsed.id]);
  expect(code, stderr).toBe(0);
}

test("SE29 SE33 a sealed link opens the room: terminals, keys, output, late viewers", async () => {
  const { e2e, links, tokens } = product.ready;
  expect(e2e).toBe(true);
  const { ticket } = await readLink(links.edit);
  expect(tokens.edit).toBe(ticket);
  using host = await connect("edit");
  const id = await openTerminal(host);
  using late = await connect("view");
  late.attach(id);
  await late.shows(id, /first-42/);
  host.type(id, "echo again-$((40 + 3))\r");
  await late.shows(id, /again-43/);
  expect([...host.refused, ...late.refused]).toEqual([]);
  expect(late.view(id).snapshots).toBe(1);
  // The room's own messages alone are in the clear.
  const clear = new Set([...host.clear, ...late.clear].map(({ type }) => type));
  expect([...clear].filter((type) => type !== "bridge" && type !== "pairpty:ping")).toEqual([]);
});

test("SE75 a sealed link works at localhost, too, and not at an address that the bridge never had", async () => {
  const { links, endpoints } = product.ready;
  const { host: printed } = new URL(links.edit);
  const named = links.edit.replace(printed, printed.replace("127.0.0.1", "localhost"));
  using there = await SealedClient.connect({ link: named, peer: endpoints.peer });
  await openTerminal(there);
  const foreign = links.edit.replace(printed, "relay.example.com");
  using refused = await SealedClient.open({ link: foreign, peer: endpoints.peer });
  await refused.until(() => refused.closed !== undefined, "not closed");
  expect([refused.handshakes, refused.closed?.code]).toEqual([0, 4403]);
});

test("SE33 much output comes sealed and complete, with a snapshot for whoever comes late", async () => {
  using host = await connect("edit");
  const id = await openTerminal(host);
  host.type(id, "seq 100000 | sha256sum; seq 100000; echo done-$((1 + 1))\r");
  await host.shows(id, /done-2/);
  expect(host.refused).toEqual([]);
  expect(host.view(id).text).toContain("\r\n99998\r\n99999\r\n100000\r\n");
  using late = await connect("view");
  late.attach(id);
  await late.shows(id, /done-2/);
});

test("SE33 a panel's output comes sealed, too, with the key of its channel", async () => {
  using host = await connect("edit");
  const say = (payload: object) =>
    host.send({ type: "panel_event", panelId: "p1", panelType: "terminal", payload });
  say({ type: "panel_lifecycle", state: "opened" });
  const isReady = (text: string) => text.includes('"ready"');
  await host.message((message) => isReady(JSON.stringify(message)), "the panel is not ready");
  say({ type: "terminal_input", text: "echo panel-$((40 + 2))\r" });
  const shows = (message: object) => JSON.stringify(message).includes("panel-42");
  await host.message(shows, "no output of the panel");
  expect(host.messages.some(({ type }) => type === "pty:key")).toBe(true);
  expect(host.refused).toEqual([]);
  expect(host.clear.some(shows)).toBe(false);
});

test("SE32 the ticket of a sealed link opens no HTTP path and no MCP", async () => {
  const { tokens } = product.ready;
  for (const token of [tokens.edit, tokens.view]) {
    const spawned = await product.http("/pty/spawn", { method: "POST", body: "{}", token });
    expect(spawned.status).toBe(403);
    const mcp = await product.http("/mcp", { method: "POST", body: "{}", token });
    expect(mcp.status).toBe(403);
  }
  const agent = await product.http("/mcp", { method: "POST", body: "{}", token: tokens.agent });
  expect([401, 403]).not.toContain(agent.status);
});

test("SE32 the ticket of a sealed link opens no plain socket", async () => {
  const { tokens, endpoints } = product.ready;
  const plain = await PlainClient.connect(endpoints.peer, tokens.edit);
  plain.socket.send(JSON.stringify({ type: "pty:attach", id: "any" }));
  expect((await plain.closes()).code).toBe(CloseCode.forbidden);
  expect(plain.messages.filter(({ type }) => type.startsWith("pty:"))).toEqual([]);
});

/** Expects that of what the host sees next, another client opens nothing. */
async function expectSealedFrom(
  other: SealedClient,
  host: SealedClient,
  id: string,
): Promise<void> {
  const before = host.frames.length;
  host.type(id, "echo later-$((40 + 4))\r");
  await host.shows(id, /later-44/);
  const later = host.frames.slice(before);
  expect(later.length).toBeGreaterThan(0);
  for (const frame of later) {
    expect(await other.tryOpen(frame)).toBe("unknown key");
    // A control: the host has the key, and opens nothing twice.
    expect(await host.tryOpen(frame)).toBe("refused");
  }
}

test("SE36 SE37 after a revocation the old key opens nothing, and the page knows why", async () => {
  await using own = new Place();
  const bridge = await own.start("--e2e", "on");
  using host = await connect("edit", bridge);
  const id = await openTerminal(host);
  using viewer = await connect("view", bridge);
  viewer.attach(id);
  await viewer.shows(id, /first-42/);
  await revoke(own, bridge, "view");
  expect(await viewer.closes()).toEqual({
    code: CloseCode.unauthorized,
    reason: "The host closed this connection.",
  });
  const closing = viewer.messages.at(-1);
  expect(closing).toMatchObject({ type: "e2e:closing", reason: expect.stringMatching(/revoked/) });
  await expectSealedFrom(viewer, host, id);
  expect(host.refused).toEqual([]);
});

test("SE36 a revoked link's key opens nothing, though its holder had left before", async () => {
  await using own = new Place();
  const bridge = await own.start("--e2e", "on");
  using host = await connect("edit", bridge);
  const id = await openTerminal(host);
  using gone = await connect("view", bridge);
  gone.attach(id);
  await gone.shows(id, /first-42/);
  gone.close();
  await bridge.event("peer_left");
  await revoke(own, bridge, "view");
  await expectSealedFrom(gone, host, id);
});

test("SE36 a terminal made private has another key, and view links lose it", async () => {
  using host = await connect("edit");
  const id = await openTerminal(host);
  using viewer = await connect("view");
  viewer.attach(id);
  await viewer.shows(id, /first-42/);
  host.send({ type: "pty:private", id, on: true });
  await host.message(({ type, id: of }) => type === "pty:key" && of === id, "a new key");
  const before = host.frames.length;
  host.type(id, "echo hidden-$((40 + 5))\r");
  await host.shows(id, /hidden-45/);
  for (const frame of host.frames.slice(before))
    expect(await viewer.tryOpen(frame)).toBe("unknown key");
  expect(viewer.view(id).text).not.toContain("hidden-45");
});

test("SE36 a person who is limited or removed loses the keys of what they may not see", async () => {
  using host = await SealedClient.connect({
    link: product.ready.own,
    peer: product.ready.endpoints.peer,
  });
  using guest = await connect("edit");
  guest.send({ type: "room:hello", device: "g".repeat(32), name: "guest" });
  host.send({ type: "room:hello", device: "h".repeat(32), name: "host" });
  const id = await openTerminal(host);
  host.send({ type: "pty:private", id, on: true });
  guest.attach(id);
  await guest.shows(id, /first-42/);
  const people = await host.until(() => {
    const list = host.messages.findLast(({ type }) => type === "room:people");
    return JSON.stringify(list ?? {}).includes("guest") ? list : undefined;
  }, "the guest is not listed");
  const who = findPerson(people["people"], "guest");
  const hidden = async (word: string) => {
    const before = host.frames.length;
    host.type(id, `echo ${word}-$((40 + 2))\r`);
    await host.shows(id, new RegExp(`${word}-42`));
    for (const frame of host.frames.slice(before))
      expect(await guest.tryOpen(frame)).toBe("unknown key");
  };
  const keys = () => host.messages.filter(({ type }) => type === "pty:key").length;
  let count = keys();
  host.send({ type: "room:rights", who, role: "view" });
  await host.until(() => keys() > count, "no new key");
  await hidden("limited");
  host.send({ type: "pty:private", id, on: false });
  guest.attach(id);
  await guest.shows(id, /limited-42/);
  count = keys();
  host.send({ type: "room:remove", who });
  expect((await guest.closes()).code).toBe(CloseCode.sentAway);
  await host.until(() => keys() > count, "no new key");
  await hidden("removed");
});

test("SE34 a link cut costs a handshake, and neither a byte nor the page", async () => {
  const relay = await TestRelay.start({ loopback: false, relayKey: KEY });
  await using proxy = await CuttableProxy.start(relay.port);
  await using own = new Place({ PAIRPTY_RELAY_KEY: KEY });
  const bridge = await own.start("--e2e", "on", "--relay", `http://127.0.0.1:${proxy.port}`);
  const peer = bridge.ready.endpoints.peer.replace(String(proxy.port), String(relay.port));
  using host = await SealedClient.connect({ link: bridge.ready.links.edit, peer });
  using viewer = await SealedClient.connect({ link: bridge.ready.links.view, peer });
  const id = await openTerminal(host);
  viewer.attach(id);
  await viewer.shows(id, /first-42/);
  host.type(id, "for i in $(seq 300); do echo line-$i; sleep 0.01; done; echo end-$((1 + 1))\r");
  await host.shows(id, /line-20\r/);
  for (const handshakes of [1, 2]) {
    proxy.cut();
    await host.until(() => host.handshakes > handshakes, "no new handshake");
  }
  await host.shows(id, /end-2/);
  await viewer.shows(id, /end-2/);
  const lines = Array.from({ length: 300 }, (_each, n) => `line-${n + 1}\r\n`).join("");
  expect(host.view(id).text).toContain(lines);
  expect(viewer.view(id).text).toContain(lines);
  expect([host.closed, viewer.closed]).toEqual([undefined, undefined]);
  host.type(id, "echo typed-$((40 + 6))\r");
  await viewer.shows(id, /typed-46/);
  expect([host.keyNumbers().size, host.view(id).snapshots]).toEqual([1, 1]);
  await bridge.stop();
  await relay.stop();
});

test("SE35 after kill -9 the next bridge has other keys, and pages go on where they were", async () => {
  await using own = new Place();
  const bridge = await own.start("--e2e", "on");
  using host = await connect("edit", bridge);
  using viewer = await connect("view", bridge);
  const id = await openTerminal(host);
  viewer.attach(id);
  await viewer.shows(id, /first-42/);
  host.type(id, "for i in $(seq 400); do echo line-$i; sleep 0.01; done; echo end-$((1 + 1))\r");
  await host.shows(id, /line-20\r/);
  const before = host.frames.length;
  await bridge.kill();
  const next = await own.start("--e2e", "on");
  await host.shows(id, /end-2/);
  await viewer.shows(id, /end-2/);
  const lines = Array.from({ length: 400 }, (_each, n) => `line-${n + 1}\r\n`).join("");
  expect(host.view(id).text).toContain(lines);
  expect(viewer.view(id).text).toContain(lines);
  expect([host.handshakes, viewer.handshakes]).toEqual([2, 2]);
  expect([host.closed, viewer.closed]).toEqual([undefined, undefined]);
  expect(host.frames.length).toBeGreaterThan(before);
  host.type(id, "echo typed-$((40 + 6))\r");
  await viewer.shows(id, /typed-46/);
  await next.stop();
});

test("SE31 a link from before is refused in a sealed room, and an agent's token works", async () => {
  await using own = new Place();
  const plain = await own.start();
  expect(plain.ready.e2e).toBe(false);
  const shared = await own.run(["share", "--role", "edit", "--json", ...own.code]);
  const agent = await own.run(["share", "--role", "agent", "--json", ...own.code]);
  const { token }: { token: string } = JSON.parse(shared.stdout);
  const { token: agentToken }: { token: string } = JSON.parse(agent.stdout);
  await plain.stop();
  const sealed = await own.start("--e2e", "on");
  const client = await PlainClient.connect(sealed.ready.endpoints.peer, token);
  expect(await client.closes()).toEqual({
    code: CloseCode.forbidden,
    reason: "This link is from before end-to-end encryption: ask the host for a new one",
  });
  const spawned = await sealed.http("/pty/spawn", { method: "POST", body: "{}", token });
  expect(spawned.status).toBe(403);
  const mcp = await sealed.http("/mcp", { method: "POST", body: "{}", token: agentToken });
  expect([401, 403]).not.toContain(mcp.status);
  await sealed.stop();
});

test("SE30 a lost key ends the sealed links, and the start says so", async () => {
  await using own = new Place();
  const first = await own.start("--e2e", "on");
  const key = join(own.stateFolder(), "host-key.json");
  expect(statSync(key).mode & 0o777).toBe(0o600);
  const { links } = first.ready;
  await first.kill();
  const stored = readFileSync(key, "utf8");
  rmSync(key);
  const next = await own.start("--e2e", "on");
  const note = await next.event("note");
  expect(note["note"]).toMatch(/encryption is gone, so 3 links have ended/);
  expect(readFileSync(key, "utf8")).not.toBe(stored);
  const { peer } = next.ready.endpoints;
  using old = await SealedClient.open({ link: links.edit, peer });
  await old.closes();
  expect(old.handshakes).toBe(0);
  using fresh = await connect("edit", next);
  expect(fresh.handshakes).toBe(1);
  await next.stop();
});

/** Returns the id of the person with this name. */
function findPerson(people: unknown, name: string): string {
  if (!Array.isArray(people)) throw new Error("no list of people");
  const found: unknown = people.find((one: { name?: string }) => one.name === name);
  if (typeof found !== "object" || found === null || !("id" in found)) throw new Error("not here");
  return String(found.id);
}
