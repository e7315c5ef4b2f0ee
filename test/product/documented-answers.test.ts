// What the tools answer in the built product, in the words of the documents whose contract they keep,
// and the same facts for clients that show a model the structured content alone.

import type { Client } from "@modelcontextprotocol/client";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectClient } from "../support/agent.ts";
import { answeringPerson } from "../support/answering.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import type { PlainClient } from "../support/plain-client.ts";

interface Result {
  readonly content: { type: string; text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

const MAX_HISTORY_BYTES = 65_536;
const MAX_OUTPUT_CHARS = 10_000;
const MAX_ERROR_CHARS = 4_000;

let place: Place;
let product: Product;
let person: PlainClient;
let client: Client;
/** Whether the person answers at once. */
let isAnswering = true;

beforeAll(async () => {
  place = new Place();
  product = await place.start();
  const { endpoints, tokens } = product.ready;
  person = await answeringPerson(product, () => isAnswering);
  client = await connectClient(endpoints.mcp, tokens.agent);
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

const getText = ({ content }: Result) => content[0]?.text ?? "";
const getNotes = ({ content }: Result) => content[1]?.text ?? "";
const getFacts = ({ structuredContent = {} }: Result) => structuredContent;

test("S8 S39 history buffer is 64KB, truncates oldest data, at newline boundaries, and has nothing else in it", async () => {
  const lines = 8_000;
  const terminalId = await printing(lines);
  const read = await call("read_terminal", { terminalId });
  const { history, ...rest } = JSON.parse(getText(read)) as { history: string };
  expect(rest).toEqual({ terminalId });
  const printed = Array.from({ length: lines }, (_, n) => `line ${n} of the run\n`).join("");
  expect(printed.endsWith(history), history.slice(0, 100)).toBe(true);
  expect(history).toMatch(/^line \d+ of the run\n/);
  // A terminal ends a line with two bytes, of which the text has one.
  const bytes = history.length + (history.match(/\n/g)?.length ?? 0);
  expect(bytes).toBeLessThanOrEqual(MAX_HISTORY_BYTES);
  expect(bytes).toBeGreaterThan(MAX_HISTORY_BYTES - 100);
  expect(getFacts(read)).toMatchObject({ history, truncated: true });
  expect(getNotes(read)).toMatch(/^Cut before offset \d+; kept from offset 0 on\n/);
});

test("M21 command is for agent-spawned terminals: a user's own has none", async () => {
  const terminalId = await printing(1);
  const command = [process.execPath, "-e", "setInterval(() => {}, 1000)"];
  const spawned = await call("spawn_background_terminal", { cwd: place.folder, command });
  const { id } = JSON.parse(getText(spawned)) as { id: string };
  const listed = await call("list_terminals");
  const documented = JSON.parse(getText(listed)) as { id: string }[];
  const { terminals } = getFacts(listed) as { terminals: { id: string }[] };
  for (const all of [documented, terminals]) {
    const byId = (wanted: string) => all.find((one) => one.id === wanted);
    expect(byId(terminalId)).toMatchObject({ owner: "user" });
    expect(byId(terminalId)).not.toHaveProperty("command");
    expect(byId(id)).toMatchObject({ owner: "agent", command });
  }
  await call("kill_terminal", { terminalId: id });
});

test("Y88 terminal_list shows all running sessions: completed processes are removed", async () => {
  const started = await call("terminal_start", { command: "echo over", until: "over" });
  const { id: sessionId } = getFacts(started) as { id: string };
  await expect
    .poll(async () => getText(await call("terminal_list")))
    .toBe("No active terminal sessions.");
  expect(getFacts(await call("terminal_list"))).toEqual({ sessions: [] });
  const last = await call("terminal_continue", { sessionId });
  expect(getFacts(last)).toMatchObject({ complete: true, exitCode: 0 });
});

test("Y31 of 800 tests with one failure the first answer shows it", async () => {
  const script = join(place.folder, "tests.mjs");
  writeFileSync(
    script,
    `for (let n = 1; n <= 800; n++) {
      if (n !== 412) console.log('ok ' + n + ' - handles an error of the ' + n + 'th kind and goes on with the rest');
      else console.log('not ok 412 - adds two numbers\\n  ---\\n  expected: 4\\n  actual: 5\\n  ...');
    }
    console.log('1..800\\n# pass 799\\n# fail 1');
    process.exitCode = 1;`,
  );
  const ran = await call("bash", { command: `node ${script}` });
  const { stdout } = getFacts(ran) as { stdout: string };
  for (const shown of [stdout, getText(ran)]) {
    expect(shown).toContain("not ok 412 - adds two numbers\n");
    expect(shown).toContain("  expected: 4\n  actual: 5\n");
    expect(shown).toMatch(/# fail 1\n$/);
    expect(shown.length).toBeLessThanOrEqual(MAX_OUTPUT_CHARS + MAX_ERROR_CHARS);
  }
  const { id: sessionId, ...facts } = getFacts(ran) as { id: string };
  expect(facts).toMatchObject({ ok: false, exitCode: 1 });
  const position = Number(/position (\d+)/.exec(stdout)?.[1]);
  expect(stdout).toContain(`"${sessionId}"`);
  const rest = await call("terminal_continue", { sessionId, position });
  expect(getFacts(rest)["output"]).toMatch(/ok \d+ - handles/);
});

test("Y144 S39 a read that is cut shows the failures beside the history, once the program has ended", async () => {
  const code =
    "for (let n = 1; n <= 3000; n++) console.log(n === 12 ? 'not ok 12 - adds two numbers' : 'ok ' + n + ' - handles an error of its kind')";
  const { id: terminalId } = await product.open({ command: [process.execPath, "-e", code] });
  const read = await call("read_terminal", { terminalId, waitFor: { exit: true } });
  const { history } = JSON.parse(getText(read)) as { history: string };
  expect(history).not.toContain("not ok 12");
  const failures = "not ok 12 - adds two numbers\n";
  expect(getFacts(read)).toMatchObject({ truncated: true, waited: "exit", failures });
  expect(getNotes(read)).toContain(`What looks like failures in the cut:\n${failures}`);
  expect(getFacts(await call("read_terminal", { terminalId }))).toMatchObject({ failures });
  const chosen = await call("read_terminal", { terminalId, lines: 3 });
  expect(getFacts(chosen)).not.toHaveProperty("failures");
});

test("Y32 Y112 Y113 bash sends its output once in each form, and a session's answer says how its wait ended", async () => {
  const ran = await call("bash", { command: "echo out; echo err >&2; exit 3" });
  const facts = { ok: false, exitCode: 3, stdout: "out\n", stderr: "err\n" };
  expect(getFacts(ran)).toEqual(facts);
  const ended = await call("terminal_start", { command: "echo over; exit 4" });
  expect(getFacts(ended)).toMatchObject({ output: "over\n", complete: true, exitCode: 4 });
  expect(getFacts(ended)).toMatchObject({ waited: "exit" });
  const screen = await call("terminal_read_screen", { terminalId: await printing(2) });
  const { snapshot } = getFacts(screen) as { snapshot: Record<string, unknown> };
  expect(snapshot["lines"]).toEqual(["line 0 of the run", "line 1 of the run"]);
  expect(snapshot).not.toHaveProperty("wrapped");
});

test("Y33 an expression between slashes is one in waitFor, too", async () => {
  const terminalId = await printing(3);
  const waitFor = { pattern: "/^line [2] of/" };
  const read = await call("read_terminal", { terminalId, waitFor, timeoutMs: 2_000 });
  expect(getFacts(read)["waited"]).toBe("pattern");
});

test("M20 while a question is held, the agent's user is shown what it waits for", async () => {
  isAnswering = false;
  const shown: string[] = [];
  const args = { command: "some-unknown-program --flag" };
  const running = client.callTool(
    { name: "bash", arguments: args },
    { onprogress: ({ message = "" }) => void shown.push(message) },
  );
  const asked = await person.ofType("approval:requested", person.messages.length);
  const { id } = asked["approval"] as { id: string };
  await expect.poll(() => shown[0]).toContain("some-unknown-program --flag");
  expect(shown[0]).toContain(id);
  person.send({ type: "approval:answer", id, answer: "deny" });
  expect(await running).toMatchObject({ isError: true });
  isAnswering = true;
});
