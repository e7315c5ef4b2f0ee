// What the conformance suite does not see of itself: its flag, and our own resources.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";

/** A build of its own, from test/conformance. */
const FIXTURES = join(process.cwd(), "dist", "conformance", "fixtures.cjs");

test("M26 the package has none of the suite's tools", () => {
  const program = readFileSync("dist/bridge/program.cjs", "utf8");
  expect(program).toContain("list_terminals");
  expect(program).not.toContain("test_simple_text");
  expect(readFileSync(FIXTURES, "utf8")).toContain("test_simple_text");
});

test("M26 --conformance is hidden, and refused with a relay elsewhere", async () => {
  await using place = new Place();
  const help = await place.ask(["start", "--help"]);
  expect(help.stdout).toContain("--insecure");
  expect(help.stdout).not.toContain("conformance");
  const refused = await place.ask(["--conformance", FIXTURES, "--relay", "https://relay.invalid"]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("--conformance is for a relay on this machine"),
  ]);
});

test("M11 M25 M26 what the suite wants is served under its flag, a token is needed as ever, and a terminal that is not there is no resource", async () => {
  await using place = new Place();
  const product = await place.start("--conformance", FIXTURES);
  const { result } = await ask(product, "tools/list", {});
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(["list_terminals", "test_simple_text"]),
  );
  const bare = await fetch(product.ready.endpoints.mcp, { method: "POST", body: "{}" });
  expect(bare.status).toBe(401);
  const uri = "terminal://nobody";
  const { error } = await ask(product, "resources/read", { uri });
  expect(error, "M10").toMatchObject({ code: -32_602, data: { uri } });
});

/** One request of the 2026 wire; returns the JSON-RPC answer. */
async function ask({ ready }: Product, method: string, params: Record<string, unknown>) {
  const version = "2026-07-28";
  const prefix = "io.modelcontextprotocol";
  const response = await fetch(ready.endpoints.mcp, {
    method: "POST",
    headers: {
      authorization: `Bearer ${ready.tokens.agent}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": method,
      ...(typeof params["uri"] === "string" ? { "mcp-name": params["uri"] } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${prefix}/protocolVersion`]: version,
          [`${prefix}/clientInfo`]: { name: "test", version: "1" },
          [`${prefix}/clientCapabilities`]: {},
        },
      },
    }),
  });
  return await response.json();
}
