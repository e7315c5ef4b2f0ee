// What the tools answer in the built product, in the words of the documents whose contract they keep,
// and the same facts for clients that show a model the structured content alone.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { SeedClient } from "../support/seed-client.ts";

interface Result {
  readonly content: { type: string; text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

const MAX_HISTORY_BYTES = 65_536;

let place: Place;
let product: Product;
let person: SeedClient;
let client: Client;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
  const { endpoints, tokens } = product.ready;
  person = await SeedClient.connect(endpoints.peer, tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const { id } = message["approval"] as { id: string };
    person.send({ type: "approval:answer", id, answer: "once" });
  };
  client = new Client({ name: "agent", version: "1" });
  const headers = { authorization: `Bearer ${tokens.agent}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoints.mcp), { requestInit: { headers } }),
  );
});
afterAll(async () => {
  await client.close();
  person.close();
  await place[Symbol.asyncDispose]();
});

async function call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result;
}

/** Starts a terminal of the user's that prints so many lines and stays. */
async function printing(lines: number): Promise<string> {
  const code = `for (let n = 0; n < ${lines}; n++) console.log('line ' + n + ' of the run'); setInterval(() => {}, 1000)`;
  const body = JSON.stringify({ command: [process.execPath, "-e", code] });
  const response = await product.http("/pty/spawn", { method: "POST", body });
  const { id } = (await response.json()) as { id: string };
  const waitFor = { pattern: `line ${lines - 1} of the run` };
  const waited = await call("read_terminal", { terminalId: id, waitFor, lines: 1 });
  expect(waited.structuredContent?.["waited"]).toBe("pattern");
  return id;
}

const textOf = ({ content }: Result) => content[0]?.text ?? "";
const notesOf = ({ content }: Result) => content[1]?.text ?? "";
const factsOf = ({ structuredContent = {} }: Result) => structuredContent;

test("S8 history buffer is 64KB, truncates oldest data, at newline boundaries, and has nothing else in it", async () => {
  const lines = 8_000;
  const terminalId = await printing(lines);
  const read = await call("read_terminal", { terminalId });
  const { history, ...rest } = JSON.parse(textOf(read)) as { history: string };
  expect(rest).toEqual({ terminalId });
  const printed = Array.from({ length: lines }, (_, n) => `line ${n} of the run\n`).join("");
  expect(printed.endsWith(history), history.slice(0, 100)).toBe(true);
  expect(history).toMatch(/^line \d+ of the run\n/);
  // A terminal ends a line with two bytes, of which the text has one.
  const bytes = history.length + (history.match(/\n/g)?.length ?? 0);
  expect(bytes).toBeLessThanOrEqual(MAX_HISTORY_BYTES);
  expect(bytes).toBeGreaterThan(MAX_HISTORY_BYTES - 100);
  expect(factsOf(read)).toMatchObject({ history, truncated: true });
  expect(notesOf(read)).toMatch(/^Cut before offset \d+; kept from offset 0 on\n/);
});

test("M21 command is for agent-spawned terminals: a user's own has none", async () => {
  const terminalId = await printing(1);
  const command = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
  const spawned = await call("spawn_background_terminal", { cwd: place.folder, command });
  const { id } = JSON.parse(textOf(spawned)) as { id: string };
  const listed = await call("list_terminals");
  const seeds = JSON.parse(textOf(listed)) as { id: string }[];
  const { terminals } = factsOf(listed) as { terminals: { id: string }[] };
  for (const all of [seeds, terminals]) {
    const byId = (wanted: string) => all.find((one) => one.id === wanted);
    expect(byId(terminalId)).toMatchObject({ owner: "user" });
    expect(byId(terminalId)).not.toHaveProperty("command");
    expect(byId(id)).toMatchObject({ owner: "agent", command });
  }
  await call("kill_terminal", { terminalId: id });
});

test("Y21 terminal_list shows all running sessions: completed processes are removed", async () => {
  const started = await call("terminal_start", { command: "echo over", until: "over" });
  const { id: sessionId } = factsOf(started) as { id: string };
  await expect
    .poll(async () => textOf(await call("terminal_list")))
    .toBe("No active terminal sessions.");
  expect(factsOf(await call("terminal_list"))).toEqual({ sessions: [] });
  const last = await call("terminal_continue", { sessionId });
  expect(factsOf(last)).toMatchObject({ complete: true, exitCode: 0 });
});

test("Y33 an expression between slashes is one in waitFor, too", async () => {
  const terminalId = await printing(3);
  const waitFor = { pattern: "/^line [2] of/" };
  const read = await call("read_terminal", { terminalId, waitFor, timeoutMs: 2_000 });
  expect(factsOf(read)["waited"]).toBe("pattern");
});
