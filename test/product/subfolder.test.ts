import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { Tty } from "../support/tty.ts";

let place: Place;
let product: Product;
let deep: string;

beforeAll(async () => {
  place = new Place();
  deep = join(place.folder, "src", "deep");
  mkdirSync(deep, { recursive: true });
  product = await place.start();
});
afterAll(async () => await place[Symbol.asyncDispose]());

test("C42 every command in a subfolder is about the room above it", async () => {
  const { id } = await product.open();
  expect((await place.askIn(deep, ["ls"])).stdout).toContain(id);
  for (const verb of ["status", "people", "grants", "approvals", "rules", "record", "audit"]) {
    expect([verb, (await place.askIn(deep, [verb])).code]).toEqual([verb, 0]);
  }
  expect((await place.askIn(deep, ["logs", "--lines", "500"])).stdout).toContain("starting");
  expect((await place.askIn(deep, ["complete-ids", "terminals"])).stdout).toContain(id);
  const shared = await place.askIn(deep, ["share", "--json"]);
  expect(JSON.parse(shared.stdout)).toMatchObject({ link: expect.stringContaining("#pp_") });
  const stdio = await place.askIn(deep, ["connect", "claude-desktop", "--json"]);
  expect(stdio.stdout).toContain(place.folder);
  expect(stdio.stdout).not.toContain(deep);
  expect((await place.askIn(deep, ["close", id])).code).toBe(0);
});

test("C42 C79 C113 MCP over standard input and a shared terminal find it, too; the terminal starts in the subfolder", async () => {
  using agent = new Tty(place, [process.execPath, CLI, "mcp"], { folder: deep });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    },
  };
  agent.type(`${JSON.stringify(initialize)}\n`);
  await agent.shows('"serverInfo"');
  using tty = Tty.pairpty(place, ["shell", "--", "sh", "-c", "pwd; exit 7"], { folder: deep });
  await tty.shows(deep);
  expect(await tty.ends()).toBe(7);
  expect(place.processesRunning("pty-host.js")).toHaveLength(1);
});

test("C112 a folder that --cwd names is meant exactly", async () => {
  const { code, stderr } = await place.askIn(deep, ["ls", "--cwd", deep]);
  expect([code, stderr]).toEqual([3, expect.stringContaining(`not running in ${deep}`)]);
});

test("C114 a start in a subfolder makes a room of its own, which wins there, and names the one above", async () => {
  using tty = Tty.pairpty(place, ["--no-open"], { folder: deep, columns: 400 });
  await tty.shows(`pairpty also runs in ${place.folder}`);
  await tty.shows("q quit");
  expect((await place.askIn(deep, ["status", "--json"])).stdout).not.toContain(
    product.ready.workspace,
  );
  expect((await place.askIn(join(deep, ".."), ["status", "--json"])).stdout).toContain(
    product.ready.workspace,
  );
  const stopped = await place.askIn(deep, ["stop", "--yes"]);
  expect([stopped.code, stopped.stderr]).toEqual([0, "Stopped. No terminals were open.\n"]);
  await tty.ends();
});

test("C42 C110 C115 the terminals that a crash left waiting are found from a subfolder; stop names the folder", async () => {
  const { id } = await product.open();
  await product.kill();
  expect((await place.askIn(deep, ["ls"])).stderr).toContain(
    `1 terminal from the last run is still alive: ${id}`,
  );
  product = await place.start();
  const stopped = await place.askIn(deep, ["stop", "--yes"]);
  expect([stopped.code, stopped.stderr]).toEqual([
    0,
    expect.stringContaining(`Stopped in ${place.folder}. 1 terminal ended`),
  ]);
  // Nothing runs; what it logged is still found.
  expect((await place.askIn(deep, ["ls"])).code).toBe(3);
  expect((await place.askIn(deep, ["logs", "--lines", "500"])).stdout).toContain("starting");
});
