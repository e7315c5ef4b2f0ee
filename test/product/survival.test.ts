// What must live through the death of each part, in the middle of output.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CloseCode } from "../../protocol/codes.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { toDevice } from "../support/people.ts";
import { ResumingViewer, PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

/** More than the room lets the bridge send ahead of it. */
const LAST = 40_000;
const FIRST = 2_000;
/** The rest of it comes when the test says so, and does not wait for what breaks meanwhile. */
const COUNTER = `for ((i=1;i<=${LAST};i++)); do echo $i; [ $i != ${FIRST} ] || until [ -e go ]; do sleep 0.01; done; done; echo counted\n`;

/** Each test goes on with what the one before it left. */
let place: Place;
let product: Product;
beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

function isCounted(text: string): boolean {
  return /^counted\r?$/m.test(text);
}

/** The counter's lines as they were shown. */
function numbers(text: string): number[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /^\d+$/.test(line))
    .map(Number);
}

const EXPECTED = Array.from({ length: LAST }, (_, index) => index + 1);

/** What somebody at the door may try; each with a terminal's id. */
const EVERYTHING: readonly { type: string; [field: string]: unknown }[] = [
  { type: "pty:attach" },
  { type: "pty:input", data: "waiting\n" },
  { type: "pty:resize", cols: 20, rows: 5 },
  { type: "pty:drive" },
  { type: "pty:step-in" },
  { type: "pty:pin", on: true },
  { type: "panel_event", panelId: "p", panelType: "terminal", payload: {} },
  { type: "approval:answer", answer: "once" },
  { type: "conversation:list" },
  { type: "conversation:open" },
  { type: "room:look" },
  { type: "room:name", name: "M" },
  { type: "room:admit", who: "peer-1" },
  { type: "room:rights", who: "peer-1", role: "edit" },
  { type: "room:remove", who: "peer-1" },
  { type: "room:share", role: "edit", label: "x", expiresInMs: 60_000 },
  { type: "room:links" },
  { type: "room:revoke" },
  { type: "room:remember", origin: "https://relay.example.com" },
  { type: "room:forget" },
  { type: "nothing:known" },
];

/** Counts, breaks something in the middle, and gives back every line shown. */
async function countThrough(
  first: Awaited<ReturnType<Place["start"]>>,
  breakIt: () => Promise<void>,
): Promise<{ lines: number[]; viewer: ResumingViewer }> {
  const { id } = await first.open({ command: ["/bin/bash", "--norc", "--noprofile"] });
  using viewer = new ResumingViewer(first.ready.endpoints.peer, first.ready.tokens.edit, id);
  await viewer.attached();
  const go = join(place.folder, "go");
  rmSync(go, { force: true });
  viewer.type(`stty -echo\n`);
  viewer.type(COUNTER);
  await viewer.until(() => new RegExp(`^${FIRST}\r?$`, "m").test(viewer.recent));
  writeFileSync(go, "");
  await breakIt();
  await viewer.until(() => isCounted(viewer.recent), 60_000);
  return { lines: numbers(viewer.text), viewer };
}

test("E1 kill -9 of workerd in the middle of a counter: it is back on the same port, and no line is lost or doubled", async () => {
  const { lines, viewer } = await countThrough(product, async () => {
    const workerd = place.relayProcesses().processes[1]?.pid;
    if (workerd === undefined) throw new Error("no workerd is recorded");
    process.kill(workerd, "SIGKILL");
  });
  expect(lines.length).toBe(LAST);
  expect(lines).toEqual(EXPECTED);
  expect(viewer.reconnects).toBeGreaterThan(0);
});

test("E2 kill -9 of the bridge in the middle of a counter: the next one adopts, and no line is lost or doubled", async () => {
  const first = product;
  const { lines, viewer } = await countThrough(first, async () => {
    await first.kill();
    product = await place.start();
    expect(product.ready.relay).toBe(first.ready.relay);
    expect(product.ready.workspace).toBe(first.ready.workspace);
  });
  expect(lines.length).toBe(LAST);
  expect(lines).toEqual(EXPECTED);
  expect(viewer.reconnects).toBe(0);
});

test("PE3 PE7 PE29 PE31 PE41 PE48 PE53 who waits, is kept to watching or was sent away stays so over kill -9 of the bridge, whatever they say", async () => {
  const { endpoints, tokens, relay, workspace } = product.ready;
  const { id } = await product.open({ command: ["cat"] });
  const share = async (...flags: string[]): Promise<string> => {
    const request = ["share", "--json", "--role", "edit", ...flags];
    return JSON.parse((await place.run(request)).stdout).token;
  };
  const come = async (token: string, name?: string): Promise<PlainClient> => {
    const guest = await PlainClient.connect(endpoints.peer, token);
    if (name !== undefined) guest.send({ type: "room:hello", device: toDevice(name), name });
    return guest;
  };
  const refused = (guest: PlainClient, type: string, from: number) =>
    guest.message(({ code, type: got }) => got === type && code === "forbidden", type, 5_000, from);
  const [link, knocking] = [await share(), await share("--knock", "--may-share")];
  using gus = await come(link, "Gus");
  using sam = await come(link, "Sam");
  for (const guest of [gus, sam]) await guest.ofType("room:you");
  const narrowed = await place.run(["people", "Gus", "--view"]);
  expect([narrowed.code, narrowed.stderr]).toEqual([
    0,
    expect.stringContaining("`pairpty people Gus --edit` undoes that"),
  ]);
  expect((await place.run(["people", "Sam", "--remove"])).code).toBe(0);
  await gus.message(({ limited }) => limited === true, "narrowed");
  let from = gus.messages.length;
  // Another browser on the same socket, and a link for an address that it makes up.
  gus.send({ type: "room:hello", device: toDevice("new"), name: "Gus" });
  await refused(gus, "room:error", from);
  from = gus.messages.length;
  gus.send({ type: "room:remember", origin: "https://relay.example.com" });
  await refused(gus, "room:error", from);
  gus.type(id, "narrowed\n");
  expect(await refused(gus, "pty:error", from)).toMatchObject({
    error: expect.stringContaining("This browser was limited to watching"),
  });

  // At the door, by the link alone and with the id that others see of somebody who is in.
  using mal = await come(knocking);
  await mal.ofType("room:waiting");
  const [first] = JSON.parse((await place.run(["people", "Gus", "--json"])).stdout);
  for (const message of EVERYTHING) mal.send({ ...message, id });
  mal.send({ type: "room:hello", device: String(first.id).repeat(2), name: "Gus" });
  for (const headers of [{}, { "x-pairpty-device": String(first.id).repeat(2) }]) {
    const asked = { headers: { ...headers, authorization: `Bearer ${knocking}` } };
    for (const path of ["/pty", "/health", "/mcp"]) {
      expect((await fetch(`${relay}/w/${workspace}${path}`, asked)).status).toBe(403);
    }
  }

  from = gus.messages.length;
  await product.kill();
  using late = await come(knocking, "Late");
  product = await place.start();
  await gus.ofType("room:welcome", from);
  gus.type(id, "unknown\n");
  await refused(gus, "pty:error", from);
  from = gus.messages.length;
  gus.send({ type: "room:hello", device: toDevice("Gus"), name: "Gus" });
  await gus.message((one) => one["limited"] === true, "still narrowed", 5_000, from);
  gus.type(id, "known\n");
  await refused(gus, "pty:error", from);
  using again = await come(link, "Sam");
  await again.ofType("room:away");
  for (const guest of [mal, late]) {
    guest.attach(id);
    guest.type(id, "waiting\n");
  }
  using ana = await come(tokens.edit, "Ana");
  ana.attach(id);
  ana.type(id, "the end\n");
  await ana.shows(id, "the end");
  expect(ana.text.get(id)).not.toMatch(/narrowed|known|waiting/);
  for (const guest of [mal, late]) {
    const types = new Set(guest.messages.map(({ type }) => type));
    expect(types).toEqual(new Set(["bridge", "room:waiting"]));
  }
});

test("PE32 E9 after kill -9 verbs say which terminals wait; a start with --knock has them back, and those who were in knock", async () => {
  const { endpoints } = product.ready;
  for (const { id } of (await (await product.http("/pty")).json()) as { id: string }[]) {
    await product.http(`/pty/${id}`, { method: "DELETE" });
  }
  const { id } = await product.open({ command: ["cat"] });
  const before = product.events.length;
  const done = await product.open({ command: ["/bin/true"] });
  await product.event("terminal_closed", { from: before });
  const request = ["share", "--json", "--role", "edit", "--label", "eve"];
  const { token } = JSON.parse((await place.run(request)).stdout);
  const hello = { type: "room:hello", device: toDevice("Eve"), name: "Eve" };
  using eve = await PlainClient.connect(endpoints.peer, token);
  eve.send(hello);
  await eve.ofType("room:you");
  eve.attach(id);
  await eve.ofType("pty:attached");
  const from = eve.messages.length;
  await product.kill();
  await expectWaiting(id, done.id);
  product = await place.start("--knock");
  expect((await place.run(["ls"])).stdout, "E9: the terminal is back").toContain(id);
  // Whom the room still had is closed as soon as the bridge knows who it is; others wait at once.
  const hasMessage = (wanted: string) =>
    eve.messages.slice(from).some(({ type }) => type === wanted);
  await until("Eve is told", () => hasMessage("room:welcome") || hasMessage("room:waiting"));
  eve.send(hello);
  if (!hasMessage("room:waiting")) expect((await eve.closes()).code).toBe(CloseCode.tryLater);
  expect(eve.messages.slice(from).some(({ type }) => type === "room:you")).toBe(false);
  using again = await PlainClient.connect(endpoints.peer, token);
  await again.ofType("room:waiting");
  again.send(hello);
  await until("Eve waits", async () => (await place.run(["people"])).stdout.includes("Eve"));
  expect((await place.run(["admit", "Eve"])).code).toBe(0);
  expect(await again.ofType("room:you")).toMatchObject({ role: "edit" });
  await place.run(["stop", "--yes"]);
  expect((await place.run(["ls"])).stderr).toMatch(/pairpty is not running in \S+\n/);
});

/** E9: every verb that needs a bridge names this terminal, and none that has ended. */
async function expectWaiting(id: string, ended: string): Promise<void> {
  for (const verb of [["ls"], ["close", id], ["status"]]) {
    const { code, stdout, stderr } = await place.run(verb);
    expect([verb, code, stdout]).toEqual([verb, 3, ""]);
    expect(stderr).toMatch(
      `but 1 terminal from the last run is still alive: ${id}\n      Run \`pairpty\` to reattach it`,
    );
    expect(stderr).not.toContain(ended);
  }
}

test("G3 after a crash `grants` lists each link of the first screen once, and revoking one ends the old one, too", async () => {
  await using own = new Place();
  const first = await own.start();
  const { endpoints, tokens } = first.ready;
  using person = await PlainClient.connect(endpoints.peer, tokens.edit);
  await person.ofType("pty:terminals");
  const listed = async () =>
    (await own.run(["grants"])).stdout.split("\n").filter((line) => line !== "").length;
  const before = await listed();
  await first.kill();
  const next = await own.start();
  expect(await listed()).toBe(before);
  const again = await PlainClient.connect(endpoints.peer, tokens.edit);
  await again.ofType("pty:terminals");
  const id = next.ready.tokens.edit.slice(3, 13);
  expect((await own.run(["revoke", id])).code).toBe(0);
  expect((await again.closes()).code).toBe(CloseCode.unauthorized);
});
