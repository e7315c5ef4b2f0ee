// What must live through the death of each part, in the middle of output.

import { expect, test } from "vitest";
import { Place } from "../support/product.ts";
import { ResumingViewer } from "../support/seed-client.ts";

const LAST = 200_000;
const COUNTER = `for ((i=1;i<=${LAST};i++)); do echo $i; done; echo counted\n`;

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
  viewer.type(`stty -echo\n`);
  viewer.type(COUNTER);
  await viewer.until(() => /^2000\r?$/m.test(viewer.text));
  await breakIt();
  await viewer.until(() => isCounted(viewer.text), 60_000);
  return { lines: numbers(viewer.text), viewer };
}

test("E2 kill -9 of the bridge in the middle of a counter: the next one adopts, and no line is lost or doubled", async () => {
  await using place = new Place();
  const first = await place.start();
  const { lines, viewer } = await countThrough(first, async () => {
    await first.kill();
    const second = await place.start();
    expect(second.ready.relay).toBe(first.ready.relay);
    expect(second.ready.workspace).toBe(first.ready.workspace);
  });
  expect(lines.length).toBe(LAST);
  expect(lines).toEqual(EXPECTED);
  expect(viewer.reconnects).toBe(0);
});

test("E1 kill -9 of workerd in the middle of a counter: it is back on the same port, and no line is lost or doubled", async () => {
  await using place = new Place();
  const product = await place.start();
  const { lines, viewer } = await countThrough(product, async () => {
    const workerd = place.relayProcesses().processes[1]?.pid;
    if (workerd === undefined) throw new Error("no workerd is recorded");
    process.kill(workerd, "SIGKILL");
  });
  expect(lines.length).toBe(LAST);
  expect(lines).toEqual(EXPECTED);
  expect(viewer.reconnects).toBeGreaterThan(0);
});

test("E9 after kill -9 of the bridge, verbs say which terminals wait, and how to get back to them", async () => {
  await using place = new Place();
  const first = await place.start();
  const { id } = await first.open();
  const done = await first.open({ command: ["/bin/true"] });
  await first.event("terminal_closed");
  await first.kill();
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
