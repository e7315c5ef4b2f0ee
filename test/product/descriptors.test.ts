// A machine that is out of file descriptors: nothing of an agent's runs that people could not see.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentAt } from "../support/agent.ts";
import { LimitedPlace } from "../support/limited-place.ts";
import { until } from "../support/waiting.ts";

/** Enough for each process to start; terminals use up the pty host's. */
const MAX_OPEN_FILES = 90;

test("T13 S47 without a free descriptor an agent's command is refused before it runs; once there is one, people see it", async () => {
  await using place = new LimitedPlace(`-n ${MAX_OPEN_FILES}`);
  const product = await place.start();
  const { endpoints, tokens } = product.ready;
  const { call, close } = await agentAt(endpoints.mcp, tokens.agent);
  const opened: string[] = [];
  const openAll = async () => {
    while (opened.length < MAX_OPEN_FILES) {
      const { id } = await product.open({ command: ["cat"] });
      opened.push(id);
    }
    return "nothing was refused";
  };
  expect(await openAll().catch(String)).toMatch(
    /could not be started: no file descriptor is free; close.*ulimit -n/,
  );

  const refused = async (tool: string, args: Record<string, unknown>) =>
    await call(tool, args).then(JSON.stringify, String);
  const touch = { command: "touch canary" };
  expect(await refused("bash", touch)).toMatch(/not started: people could not see it.*descriptor/);
  for (const tool of ["terminal_start", "spawn_background_terminal"]) {
    const args = tool === "terminal_start" ? touch : { command: ["touch", "canary"], cwd: "." };
    expect(await refused(tool, args), tool).toMatch(/no file descriptor is free/);
  }
  expect(existsSync(join(place.folder, "canary"))).toBe(false);

  for (const id of opened.splice(-4)) await place.run(["close", id]);
  // Its answer is text, and no JSON.
  expect(await refused("bash", touch)).toContain("Exit code");
  expect(existsSync(join(place.folder, "canary"))).toBe(true);
  const feed = async () => {
    const all: { id: string; command?: string[] }[] = await (await product.http("/pty")).json();
    return all.find(({ command }) => command?.join(" ") === "commands");
  };
  await until(
    "people have the agent's commands in a terminal",
    async () => (await feed()) !== undefined,
  );
  await close();
});
