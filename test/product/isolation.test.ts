// An agent with a sandbox for a floor, through the whole product: what it starts stays behind its
// wall for life, over a takeover too, and leaves nothing behind.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import { until } from "../support/waiting.ts";
import { canSandbox } from "../support/walls.ts";

const isHere = await canSandbox();

interface Answer {
  readonly content: { readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

describe.skipIf(!isHere)("an agent behind a wall", () => {
  let place: Place;
  let product: Product;
  let token: string;
  beforeAll(async () => {
    place = new Place({ OF_MINE: "hunter2" });
    product = await place.start();
    const flags = ["--role", "agent", "--isolation", "sandbox", "--json", ...place.code];
    ({ token } = JSON.parse((await place.run(["share", ...flags])).stdout));
  });
  afterAll(() => place[Symbol.asyncDispose]());

  async function agent(bridge: Product) {
    const client = new Client({ name: "walled", version: "1" });
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(bridge.ready.endpoints.mcp), {
        requestInit: { headers },
      }),
    );
    return {
      call: async (name: string, args: Record<string, unknown> = {}) =>
        (await client.callTool({ name, arguments: args })) as unknown as Answer,
      close: () => client.close(),
    };
  }

  const listed = async () => {
    const { stdout } = await place.run(["ls", "--json"]);
    return JSON.parse(stdout) as Terminal[];
  };
  /** What stands in for absent files. */
  const placeholders = () => readdirSync(place.folder).filter((name) => name === ".envrc");

  test("I1 I3 I5 I7 I71 what it starts is in a sandbox, also when it asks for less, is promoted, or is taken over", async () => {
    const isolated = await agent(product);
    const ran = await isolated.call("bash", {
      command: "echo built > out.txt; echo x > ../escaped; ls -A ~; env; cat /etc/shadow; id -un",
    });
    expect(ran.content[0]?.text).not.toMatch(/hunter2|root:/);
    const offline = await isolated.call("bash", { command: "curl -sS http://example.com" });
    expect(JSON.stringify(offline.content)).toContain("sandbox without a network");
    expect(readFileSync(join(place.folder, "out.txt"), "utf8")).toBe("built\n");
    expect(existsSync(join(place.root, "escaped"))).toBe(false);
    const command = ["sh", "-c", "test -e ~/state || echo private; sleep 1000"];
    const request = { cwd: place.folder, command, isolation: "none" };
    const { structuredContent } = await isolated.call("spawn_background_terminal", request);
    expect(structuredContent).toMatchObject({ isolation: "sandbox" });
    const terminalId = structuredContent?.["id"];
    const waitFor = { pattern: "private" };
    const read = await isolated.call("read_terminal", { terminalId, waitFor });
    expect(read.content[0]?.text).toContain("private");
    expect(placeholders()).toEqual([".envrc"]);
    await isolated.call("promote_terminal", { terminalId });
    await isolated.close();
    await product.kill();
    product = await place.start();
    const of = (all: Terminal[]) => all.find(({ id }) => id === terminalId);
    expect(of(await listed())).toMatchObject({ isolation: "sandbox", owner: "user" });
    expect((await place.run(["ls"])).stdout).toMatch(/ user, from agent link \S* +sandbox /);
    expect(placeholders()).toEqual([".envrc"]);
    expect((await place.run(["close", String(terminalId)])).code).toBe(0);
    await until("the placeholders are gone", () => placeholders().length === 0);
  });

  test("I78 placeholders of a bridge and a pty host that were killed are gone after the next start", async () => {
    const isolated = await agent(product);
    const request = { cwd: place.folder, command: ["sleep", "1000"] };
    const spawned = await isolated.call("spawn_background_terminal", request);
    expect(spawned.structuredContent).toMatchObject({ isolation: "sandbox" });
    await isolated.close();
    const host = product.hostPid();
    await product.kill();
    process.kill(host, "SIGKILL");
    expect(placeholders()).toEqual([".envrc"]);
    product = await place.start();
    expect([placeholders(), await listed()]).toEqual([[], []]);
  });

  test("I2 a level that cannot be had is refused, with what to do; nothing runs with less", async () => {
    const isolated = await agent(product);
    const refused = await isolated.call("spawn_background_terminal", {
      cwd: place.folder,
      command: ["touch", "ran"],
      isolation: "container",
    });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain("Set container.image in your configuration");
    expect(existsSync(join(place.folder, "ran"))).toBe(false);
    await isolated.close();
  });
});
