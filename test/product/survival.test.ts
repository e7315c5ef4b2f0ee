// What must live through the death of each part, in the middle of output.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { ResumingViewer } from "../support/seed-client.ts";

const LAST = 60_000;
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
  await viewer.until(() => new RegExp(`^${FIRST}\r?$`, "m").test(viewer.text));
  writeFileSync(go, "");
  await breakIt();
  await viewer.until(() => isCounted(viewer.text), 60_000);
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

test("E9 after kill -9 of the bridge, verbs say which terminals wait, and how to get back to them", async () => {
  for (const { id } of (await (await product.http("/pty")).json()) as { id: string }[]) {
    await product.http(`/pty/${id}`, { method: "DELETE" });
  }
  const { id } = await product.open();
  const from = product.events.length;
  const done = await product.open({ command: ["/bin/true"] });
  await product.event("terminal_closed", { from });
  await product.kill();
  for (const verb of [["ls"], ["close", id], ["status"]]) {
    const { code, stdout, stderr } = await place.run(verb);
    expect([verb, code, stdout]).toEqual([verb, 3, ""]);
    expect(stderr).toMatch(
      `but 1 terminal of the last run waits: ${id}\n      Start \`pairpty\` in time to get it back`,
    );
    expect(stderr).not.toContain(done.id);
  }
  await place.start();
  expect((await place.run(["ls"])).stdout).toContain(id);
  await place.run(["stop", "--yes"]);
  expect((await place.run(["ls"])).stderr).toMatch(/pairpty is not running in \S+\n/);
});
