// The raw rendition through the real relay: exact bytes, new starts, and who waits for whom.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DRIVER_WINDOW, KiB, MiB, PEER_HARD_CAP } from "../../protocol/limits.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { RawClient } from "../support/raw-client.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";

let place: Place;
let product: Product;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

/** Lines of `seq`, of more than a megabyte: beyond every window and the room's cap for a peer. */
const FLOOD = 200_000;
/** Of half of that: beyond what one window of a replay holds, and what a snapshot may be. */
const LONG = 100_000;

const SHELL = { command: ["/bin/sh"] };

/** Without echo and prompt: what is printed is what was asked for. */
const QUIET = "stty -echo -onlcr; PS1=; echo quiet\n";

/** `seq 1 n` as it is printed. */
function sequence(last: number): string {
  return Array.from({ length: last }, (_, index) => `${index + 1}\n`).join("");
}

test("V3 a raw driver gets every byte of a flood, exactly, whatever its speed", async () => {
  const { peer } = product.ready.endpoints;
  for (const speed of [undefined, 8 * MiB]) {
    const { id } = await product.open(SHELL);
    using driver = await RawClient.connect(
      peer,
      product.ready.tokens.edit,
      speed === undefined ? {} : { speed },
    );
    driver.attach(id);
    await driver.attached(id);
    driver.type(id, QUIET);
    await driver.shows(id, /quiet\n$/);
    driver.type(id, `seq 1 ${FLOOD}; echo counted\n`);
    const text = await driver.shows(id, /^counted$/m, 60_000);
    const { starts, holes } = driver.of(id);
    expect({ starts, holes }).toEqual({ starts: 1, holes: 0 });
    expect(text.endsWith(`quiet\n${sequence(FLOOD)}counted\n`)).toBe(true);
  }
}, 120_000);

test("V3 raw and plain viewers side by side: both get everything", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open(SHELL);
  using raw = await RawClient.connect(peer, product.ready.tokens.edit);
  using plain = await PlainClient.connect(peer, product.ready.tokens.view);
  raw.attach(id);
  plain.attach(id);
  await raw.attached(id);
  await plain.ofType("pty:attached");
  raw.type(id, QUIET);
  await raw.shows(id, /quiet\n$/);
  raw.type(id, "printf 'über €\\n'; seq 1 50000; exit 3\n");
  const expected = `über €\n${sequence(50_000)}`;
  await raw.message(({ type }) => type === "pty:exit", "the exit");
  expect(raw.text(id).endsWith(expected)).toBe(true);
  const exit = await plain.ofType("pty:exit");
  expect(exit).toMatchObject({ id, exitCode: 3 });
  expect(plain.text.get(id)?.endsWith(expected)).toBe(true);
  // `closed` comes behind everybody's last byte.
  const closed = await plain.message(
    (m) => m["event"] === "closed" && JSON.stringify(m).includes(id),
    "closed",
  );
  expect(plain.messages.indexOf(closed)).toBeGreaterThan(plain.messages.indexOf(exit));
});

test("V18 a terminal that ends while someone attaches tells its end all the same", async () => {
  using viewer = await RawClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  const opened = await Promise.all(Array.from({ length: 5 }, () => product.open(SHELL)));
  for (const { id } of opened) {
    viewer.attach(id);
    await viewer.attached(id);
    viewer.attach(id);
    viewer.type(id, "exit 3\n");
    viewer.attach(id);
  }
  for (const { id } of opened) {
    await viewer.message((m) => m.type === "pty:exit" && m.id === id, `the exit of ${id}`);
  }
});

test("V4 coming back with a place gives exactly what is missing, a window at a time", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open(SHELL);
  using other = await RawClient.connect(peer, product.ready.tokens.edit);
  other.attach(id);
  await other.attached(id);
  other.type(id, QUIET);
  await other.shows(id, /quiet\n$/);
  const { next: from, epoch } = other.of(id);
  other.type(id, `seq 1 ${LONG}; echo counted\n`);
  await other.shows(id, /^counted$/m, 60_000);
  // One that takes nothing in gets one window of the replay and no more.
  using stuck = await RawClient.connect(peer, product.ready.tokens.view, { speed: 0 });
  stuck.attach(id, { epoch, offset: from });
  await stuck.until(
    () => (stuck.terminals.has(id) && stuck.of(id).next > from ? true : undefined),
    "no replay",
  );
  using back = await RawClient.connect(peer, product.ready.tokens.view);
  back.attach(id, { epoch, offset: from });
  const text = await back.shows(id, /^counted$/m, 60_000);
  expect(text).toBe(`${sequence(LONG)}counted\n`);
  expect(back.of(id)).toMatchObject({ snapshot: undefined, starts: 1, holes: 0 });
  expect(stuck.of(id).next - from).toBeLessThanOrEqual(256 * KiB);
}, 120_000);

test("V19 whoever comes late gets a snapshot, not the past, and goes on exactly behind it", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open(SHELL);
  using early = await RawClient.connect(peer, product.ready.tokens.edit, { keep: false });
  early.attach(id);
  await early.attached(id);
  early.type(id, `seq 1 ${LONG}; echo count''ed\n`);
  await early.until(() => (early.of(id).next > 256 * KiB ? true : undefined), "the count", 60_000);
  using late = await RawClient.connect(peer, product.ready.tokens.view);
  late.attach(id);
  const { snapshot } = await late.attached(id);
  expect(snapshot?.length).toBeGreaterThan(0);
  expect(Buffer.byteLength(snapshot ?? "")).toBeLessThanOrEqual(100_000);
  await late.shows(id, /99999\r\n100000\r\ncounted\r\n/, 60_000);
  expect(late.of(id).holes).toBe(0);
  early.type(id, "echo after''wards\n");
  await late.shows(id, /afterwards\r\n/);
}, 120_000);

test("V5 a viewer that stalls is skipped, costs no one anything, and gets a new start when it drains", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open(SHELL);
  using driver = await RawClient.connect(peer, product.ready.tokens.edit);
  using stalled = await RawClient.connect(peer, product.ready.tokens.view, { speed: 0 });
  using slow = await RawClient.connect(peer, product.ready.tokens.view, { speed: 1 * MiB });
  for (const client of [driver, stalled, slow]) {
    client.attach(id);
    await client.attached(id);
  }
  driver.type(id, QUIET);
  await driver.shows(id, /quiet\n$/);
  driver.type(id, "seq 1 450000; echo counted\n");
  await driver.shows(id, /^counted$/m, 90_000);
  expect(driver.of(id)).toMatchObject({ starts: 1, holes: 0 });
  const { next, from } = stalled.of(id);
  expect(next - from).toBeLessThanOrEqual(PEER_HARD_CAP + 128 * KiB);
  await slow.shows(id, /counted\r?\n/, 60_000);
  expect(slow.of(id).starts).toBeGreaterThan(1);
  expect(slow.of(id).holes).toBe(0);
}, 180_000);

test("V6 what is printed ahead of a slow driver stays within its window", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open(SHELL);
  using driver = await RawClient.connect(peer, product.ready.tokens.edit, {
    speed: 1 * MiB,
    keep: false,
  });
  driver.attach(id);
  await driver.attached(id);
  driver.type(id, "yes 0123456789012345678901234567890123456789\n");
  let most = 0;
  await driver.until(() => {
    const { next, acked } = driver.of(id);
    if (acked > 1.5 * MiB) most = Math.max(most, next - acked);
    return acked > 3 * MiB ? true : undefined;
  }, "the flood");
  driver.type(id, "\u0003");
  expect(most).toBeLessThanOrEqual(DRIVER_WINDOW / 2);
});

test("V2 V17 whose window counts, who drives and who asks is the driver's and told to all", async () => {
  const { peer } = product.ready.endpoints;
  const { id } = await product.open({ ...SHELL, cols: 80, rows: 24 });
  using ana = await RawClient.connect(peer, product.ready.tokens.edit);
  using ben = await RawClient.connect(peer, product.ready.tokens.edit);
  using eve = await RawClient.connect(peer, product.ready.tokens.view);
  const you = async (client: RawClient) =>
    (await client.message(({ type }) => type === "pty:terminals", "the list"))["you"];
  const numbers = { ana: await you(ana), ben: await you(ben) };
  const drives = (client: RawClient, driver: unknown) =>
    client.message((m) => m.type === "pty:driver" && m["driver"] === driver, "the driver");
  const sized = (client: RawClient, cols: number) =>
    client.message((m) => m.type === "pty:resized" && m["cols"] === cols, `${cols} columns`);
  for (const client of [ana, ben, eve]) {
    client.attach(id);
    await client.attached(id);
  }
  const view = (cols: number) => ({ type: "pty:view", id, cols, rows: 30, visible: true });
  ana.send(view(100));
  eve.send(view(50));
  eve.send(view(51));
  ana.type(id, "");
  await sized(eve, 100);
  await drives(eve, numbers.ana);
  ben.send(view(60));
  ben.send(view(61));
  ben.send({ type: "pty:ask", id });
  const asked = await ana.message(({ type }) => type === "pty:asked", "the question");
  expect(asked).toMatchObject({ id, peer: numbers.ben });
  ben.send({ type: "pty:give", id, peer: numbers.ben });
  await ben.message((m) => m.type === "pty:error", "the refusal");
  ana.send({ type: "pty:give", id, peer: numbers.ben });
  await drives(ana, numbers.ben);
  await sized(ana, 61);
  ana.send({ type: "pty:drive", id });
  await drives(ben, numbers.ana);
  expect(eve.messages.filter((m) => m.type === "pty:resized").map((m) => m["cols"])).not.toContain(
    51,
  );
  ana.close();
  await drives(ben, null);
});

test("V8 V25 whoever attaches again and again without an answer is closed; who answers goes on", async () => {
  const { peer } = product.ready.endpoints;
  const { id, epoch } = await product.open({
    command: ["/bin/sh", "-c", "head -c 2000000 /dev/zero | tr '\\0' x; printf end; exec cat"],
  });
  const attaches = async (client: PlainClient, times: number) => {
    for (let turn = 0; turn < times && client.closed === undefined; turn++) {
      const from = client.messages.length;
      client.attach(id, { epoch, offset: 0 });
      const isLast = ({ type, next }: Message) => type === "pty:output" && next === 2_000_003;
      await Promise.race([
        client.message(isLast, "the last of it", undefined, from).catch(() => undefined),
        client.closes().catch(() => undefined),
      ]);
    }
    return client.closed?.code;
  };
  using first = await PlainClient.connect(peer, product.ready.tokens.view);
  first.attach(id);
  const ended = ({ data, history }: Message) => (data ?? history)?.endsWith("end") === true;
  await first.message(ended, "all of it");
  using taker = await PlainClient.connect(peer, product.ready.tokens.view);
  // Made up acks and guessed numbers are no proof.
  taker.send({ type: "pty:ack", id, offset: 2_000_003 });
  for (let n = 0; n < 20; n++) taker.send({ type: "pairpty:pong", n });
  expect(await attaches(taker, 12)).toBe(1013);
  using reader = await PlainClient.connect(peer, product.ready.tokens.view);
  reader.onMessage = ({ type, n }) => {
    if (type === "pairpty:ping") reader.send({ type: "pairpty:pong", n });
  };
  // More than the other was sent.
  expect(await attaches(reader, 9)).toBeUndefined();
});

test.skipIf(process.platform !== "linux")(
  "H16 V26 a burst of attaches costs the pty host no memory, and a bystander is served meanwhile",
  async () => {
    const { peer } = product.ready.endpoints;
    const { id, epoch } = await product.open({
      command: ["/bin/sh", "-c", "head -c 2000000 /dev/zero | tr '\\0' x; printf end; exec cat"],
    });
    using first = await PlainClient.connect(peer, product.ready.tokens.view);
    first.attach(id);
    const ended = ({ data, history }: Message) => (data ?? history)?.endsWith("end") === true;
    await first.message(ended, "all of it");
    const other = await product.open({ command: ["/bin/cat"] });
    using bystander = await PlainClient.connect(peer, product.ready.tokens.edit);
    using taker = await PlainClient.connect(peer, product.ready.tokens.view);
    const before = peakBytes(product.hostPid());
    // Few enough that this machine has the memory, were each of them fetched for.
    const attaches = 150;
    for (let n = 0; n < attaches; n++) taker.attach(id, { epoch, offset: n });
    bystander.attach(other.id);
    bystander.type(other.id, "still here\n");
    const isEcho = ({ data, history }: Message) =>
      (data ?? history)?.includes("still here") === true;
    await bystander.message(isEcho, "the echo");
    const isNewest = ({ type, offset }: Message) =>
      type === "pty:attached" && offset === attaches - 1;
    await taker.message(isNewest, "the answer to the newest");
    expect(peakBytes(product.hostPid()) - before).toBeLessThan(32 * MiB);
    expect(taker.messages.filter(({ type }) => type === "pty:attached").length).toBeLessThan(
      attaches / 10,
    );
  },
);

/** The most memory that a process ever had. */
function peakBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * KiB;
}
