// The Inspector's command line as an agent, through the relay. It comes from npm, in an exact version,
// into a cache; a machine that cannot have it skips this, unless PAIRPTY_REQUIRE names the inspector.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedPackages, toolsNode } from "../../scripts/cached-packages.mjs";
import { Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";

const INSPECTOR = "@modelcontextprotocol/inspector";
const VERSION = "2.12.0";
/** The first run downloads the Inspector, and a newer Node if this one is old. */
const INSTALL_MS = 120_000;
const CALL_MS = 20_000;

interface Inspector {
  readonly node: string;
  readonly program: string;
}

let place: Place;
let product: Product;
let found: Inspector | undefined;

beforeAll(async () => {
  found = findInspector();
  place = new Place();
  product = await place.start();
}, INSTALL_MS);
afterAll(() => place[Symbol.asyncDispose]());

function findInspector(): Inspector | undefined {
  try {
    const node = toolsNode();
    const folder = join(cachedPackages(`${INSPECTOR}@${VERSION}`), ...INSPECTOR.split("/"));
    return { node, program: join(folder, "clients", "launcher", "build", "index.js") };
  } catch (error) {
    if ((process.env.PAIRPTY_REQUIRE ?? "").split(",").includes("inspector")) throw error;
    const [reason] = String(error).split("\n");
    console.warn(`skipped: the Inspector cannot be installed here (${reason})`);
    return undefined;
  }
}

/** What the Inspector prints for one method; its exit code is not 0 when a tool says it failed. */
async function ask({ node, program }: Inspector, method: string, ...args: string[]) {
  const { endpoints, tokens } = product.ready;
  const done = await promisify(execFile)(
    node,
    [program, "--cli", endpoints.mcp, "--transport", "http"]
      .concat(["--header", `Authorization: Bearer ${tokens.agent}`])
      .concat(["--method", method, ...args]),
    { env: place.environment, cwd: place.folder, timeout: CALL_MS },
  ).catch((error: { stdout?: string }) => error);
  return JSON.parse(done.stdout ?? "");
}

async function call(inspector: Inspector, tool: string, args: Record<string, unknown> = {}) {
  const pairs = Object.entries(args).flatMap(([key, value]) => [
    "--tool-arg",
    `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  ]);
  const result = await ask(inspector, "tools/call", "--tool-name", tool, ...pairs);
  const text: string = result.content[0].text;
  return { failed: result.isError === true, text };
}

test("M1 the Inspector's command line does list, spawn, read, promote and kill", async (context) => {
  if (found === undefined) return context.skip();
  const inspector = found;
  const { tools } = await ask(inspector, "tools/list");
  const names: string[] = tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["spawn_background_terminal", "bash"]));

  const command = ["node", "-e", "console.log('up and running'); setInterval(() => {}, 1000)"];
  const request = { cwd: place.folder, command };
  const spawned = await call(inspector, "spawn_background_terminal", request);
  const promoted = JSON.parse(spawned.text);
  const terminalId: string = promoted.id;
  const read = await call(inspector, "read_terminal", {
    terminalId,
    waitFor: { pattern: "up and running" },
  });
  expect(JSON.parse(read.text)).toEqual({ terminalId, history: "up and running\n" });
  const handed = await call(inspector, "promote_terminal", { terminalId });
  expect(JSON.parse(handed.text)).toEqual({ ...promoted, owner: "user", visible: true });
  expect(await call(inspector, "kill_terminal", { terminalId })).toEqual({
    failed: true,
    text: "Cannot kill visible or user-owned terminals",
  });
  return undefined;
});

test("C41 the command that connect prints names a version that runs on this Node", async () => {
  const { stdout } = await place.run(["connect", "inspector", ...place.code]);
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 22 || (major === 22 && minor >= 19);
  expect(stdout).toMatch(
    new RegExp(
      `^npx -y @modelcontextprotocol/inspector@${isNew ? "latest" : "1\\.0"} --cli http\\S+/mcp .*--header`,
    ),
  );
});
