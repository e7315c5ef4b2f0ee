// What bridge, pty host and relay write down, and `pairpty logs`.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";

const getText = (folder: string) =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");

/** One bridge, from its first line to its last. */
describe("what a bridge writes down", () => {
  let place: Place;
  let product: Product;
  beforeAll(async () => {
    place = new Place();
    product = await place.start("--log-level", "debug");
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("O20 logs --follow goes on as things happen, and ends with Ctrl-C", async () => {
    const child = place.spawn(CLI, ["logs", "--follow", "--source", "bridge"]);
    let output = "";
    const shows = (part: RegExp) =>
      new Promise<void>((resolve) => {
        const look = () => (part.test(output) ? resolve() : undefined);
        child.stdout?.on("data", (chunk: Buffer) => {
          output += chunk.toString();
          look();
        });
        look();
      });
    await shows(/link .* → up/);
    const { id } = await product.open({ command: ["/bin/cat"] });
    await shows(new RegExp(`terminal ${id} created`));
    const { endpoints, tokens } = product.ready;
    using visitor = await PlainClient.connect(endpoints.peer, tokens.view);
    await shows(/peer \d+ joined: grant \w+ \(view\)/);
    visitor.close();
    await shows(/peer \d+ left/);
    child.kill("SIGINT");
    expect(await new Promise((resolve) => void child.once("exit", resolve))).toBe(0);
  });

  test("O8 logs merges by time, filters by level, source and age, and prints JSON as written", async () => {
    await product.open({ command: ["/bin/true"] });
    await product.event("terminal_closed");
    const all = await place.run(["logs", "--level", "info", "--lines", "1000"]);
    expect(all.code).toBe(0);
    const lines = all.stdout.trim().split("\n");
    for (const source of ["bridge", "host", "relay"]) {
      expect(
        lines.some((line) => line.includes(` info  ${source} `)),
        source,
      ).toBe(true);
    }
    expect(lines.filter((line) => line.includes(" debug "))).toEqual([]);
    // C44: the clock's time for people. Programs get it to the millisecond, by which it is sorted.
    for (const line of lines) expect(line).toMatch(/^(?:\d{1,2} \w{3} )?\d\d:\d\d:\d\d \w+ /);
    const merged = await place.run(["logs", "--json", "--lines", "500"]);
    const times = merged.stdout
      .trim()
      .split("\n")
      .map((line): string => JSON.parse(line).at);
    expect(times).toEqual(times.toSorted());
    expect(times[0]).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(all.stdout).toMatch(/bridge +starting: pairpty/);
    expect(all.stdout).toMatch(/host +spawned .*file=\/bin\/true/);

    const json = await place.run(["logs", "--json", "--source", "host"]);
    const parsed = json.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(parsed.every(({ source }) => source === "host")).toBe(true);
    const warnings = await place.run(["logs", "--level", "error", "--since", "1h"]);
    expect([warnings.code, warnings.stdout]).toEqual([0, ""]);
    expect((await place.run(["logs", "--lines", "1"])).stdout.trim().split("\n").length).toBe(1);
    const bad = await place.run(["logs", "--since", "yesterday"]);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining("90s, 10m")]);
  });

  test("O6 O7 all three parts log JSON lines, for the user alone and without a token", async () => {
    const { tokens } = product.ready;
    expect((await place.run(["share"])).code).toBe(0);
    await product.stop();
    const folder = join(place.stateFolder(), "logs");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).sort()).toEqual(["bridge.log", "pty-host.log", "relay.log"]);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
      const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
      for (const line of lines) {
        expect(JSON.parse(line), line).toMatchObject({
          at: expect.any(String),
          level: expect.stringMatching(/^(debug|info|warn|error)$/),
          pid: expect.any(Number),
        });
      }
    }
    for (const text of [getText(folder), product.stderr()]) {
      expect(text).not.toMatch(/pp_[0-9A-Za-z]{10}_/);
      expect(text).not.toContain(tokens.edit);
    }
  });
});

test("O6 audit is about agents and logs about pairpty, and the help says so", async () => {
  await using place = new Place();
  const { stdout } = await place.run(["--help"]);
  expect(stdout).toMatch(/^ +audit .*agents' actions/m);
  expect(stdout).toMatch(/^ +logs .*bridge, pty host and\s+relay/m);
});
