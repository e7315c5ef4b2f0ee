// The session tools through the relay, with a real MCP client and a person who answers its questions.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listProcesses } from "../support/processes.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { has } from "../support/tools.ts";
import { until } from "../support/waiting.ts";
import { compact } from "../../protocol/compact.ts";

interface Result {
  readonly content: { type: string; text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

type Call = (name: string, args?: Record<string, unknown>) => Promise<Result>;

// Sessions start three a minute, and so many do here.
let place: Place;
let product: Product;
let call: Call;
const ends: (() => Promise<void> | void)[] = [];

/** Questions as the person was told them; every one is answered with yes. */
const asked: { kind: string; command: string; why: string[] }[] = [];

async function personAt({ ready }: Product): Promise<void> {
  const person = await PlainClient.connect(ready.endpoints.peer, ready.tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const approval = message["approval"] as (typeof asked)[number] & { id: string };
    asked.push(approval);
    person.send({ type: "approval:answer", id: approval.id, answer: "once" });
  };
  ends.push(() => person.socket.close());
}

async function agentAt({ ready }: Product, token = ready.tokens.agent): Promise<Call> {
  const client = new Client({ name: "agent", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(ready.endpoints.mcp), {
    requestInit: { headers },
  });
  await client.connect(transport);
  ends.push(() => client.close());
  return async (name, args = {}) => (await client.callTool({ name, arguments: args })) as Result;
}

beforeAll(async () => {
  place = new Place();
  product = await place.start();
  await personAt(product);
  call = await agentAt(product);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: place.folder });
  git("init", "-q");
  writeFileSync(join(place.folder, "file.txt"), "one\n");
  git("add", "file.txt");
  git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
  writeFileSync(join(place.folder, "file.txt"), "two\n");
});

afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await place[Symbol.asyncDispose]();
});

const getText = (result: Result) => result.content[0]?.text ?? "";
const getNotes = (result: Result) => result.content[1]?.text ?? "";
const getFields = (result: Result) => result.structuredContent ?? {};

test("Y20 git status and git diff answer without a question and without a wait", async () => {
  const before = asked.length;
  const status = await call("bash", { command: "git status --short" });
  expect(getText(status)).toBe("Exit code: 0\n\nOutput:\n M file.txt\n");
  expect(getFields(status)).toEqual({
    ok: true,
    exitCode: 0,
    stdout: " M file.txt\n",
    stderr: "",
  });
  expect(getText(await call("bash", { command: "git diff" }))).toContain("-one\n+two\n");
  expect(asked.length).toBe(before);
});

test("Q106 a command about pairpty itself is refused with the reason in the first text, once", async () => {
  const refused = await call("bash", { command: "pairpty share" });
  expect([refused.isError, refused.content.map(({ text }) => text)]).toEqual([
    true,
    [
      "Command blocked for security reasons: Agents may not run, read or change pairpty itself, and no approval can allow it.",
    ],
  ]);
});

test("Y20 Y82 a command that fails is an answer, and what is not known to be safe is asked about", async () => {
  const failed = await call("bash", { command: "echo out; echo err >&2; exit 3" });
  expect(failed.isError).not.toBe(true);
  expect(getFields(failed)).toMatchObject({
    ok: false,
    exitCode: 3,
    stdout: "out\n",
    stderr: "err\n",
  });
  const before = asked.length;
  const ran = await call("bash", {
    command: "read line; printenv NAME; pwd; echo $line",
    stdin: "typed\n",
    env: { NAME: "value" },
    workingDirectory: place.folder,
  });
  expect(getFields(ran)["stdout"]).toBe(`value\n${place.folder}\ntyped\n`);
  expect(asked.slice(before)).toMatchObject([
    { kind: "command", command: "read line; printenv NAME; pwd; echo $line" },
  ]);
});

test("Y12 Y80 the tail of 20 MB, within the limit, and the rest by the call that the mark names", async () => {
  const ran = await call("bash", {
    command: "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last",
  });
  const { stdout: output, id } = getFields(ran) as { stdout: string; id: string };
  expect(getText(ran)).toContain(`sessionId "${id}" and position`);
  expect(output.length).toBeLessThan(10_300);
  expect(output).toMatch(/^first\nx+\n\[cut: \d+ bytes; .*\]\nx+\nlast\n$/);
  const position = Number(/position (\d+)/.exec(output)?.[1]);
  expect(output).toContain(`terminal_continue with sessionId "${id}"`);
  const rest = await call("terminal_continue", { sessionId: id, position });
  expect(getFields(rest)["output"]).toBe("x".repeat(10_000));
  expect(getFields(rest)["position"]).toBe(position + 10_000);
});

test("Y4 Y20 a timeout ends the whole tree and says so", async () => {
  const ran = await call("bash", {
    command: "echo up; (trap '' TERM; setsid sleep 1234) & sleep 1234",
    timeoutSeconds: 1,
  });
  expect(getFields(ran)).toMatchObject({ ok: false, exitCode: null, signal: "SIGTERM" });
  expect(getFields(ran)["error"]).toMatch(/Timed out after 1 s/);
  expect(getNotes(ran)).toMatch(/Timed out after 1 s: the command and everything it started/);
  const sleeps = () =>
    listProcesses(place.root).filter((pid) => place.readCommand(pid).includes("sleep 1234"));
  await until("nothing of it is left", () => sleeps().length === 0);
});

test("Y24 Y98 a person sees an agent's commands in one terminal, which the agent does not see", async () => {
  await call("bash", { command: "echo shown to people; echo and errors >&2" });
  const listed = await product.http("/pty");
  const terminals: { id: string; command?: string[]; owner: string }[] = await listed.json();
  const [feed, ...others] = terminals.filter(({ command }) => command?.[0] === "commands");
  expect(others).toEqual([]);
  const { id = "" } = feed ?? {};
  const viewer = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.view);
  ends.push(() => viewer.socket.close());
  viewer.attach(id);
  await viewer.shows(id, /\$ echo shown to people.*\r\nshown to people\r\n.*and errors.*exit 0/s);
  await call("bash", { command: "echo live" });
  await viewer.shows(id, "\r\nlive\r\n");
  expect(getText(await call("list_terminals"))).not.toContain(id);
  expect(getText(await call("read_terminal", { terminalId: id }))).toBe("Terminal not found");
});

test("Y21 Y87 a dev server is started and its port known in one call", async () => {
  const server =
    "node -e \"require('http').createServer().listen(0, '127.0.0.1', function () { setTimeout(() => console.log('on port', this.address().port), 2200) })\"";
  const started = await call("terminal_start", { command: server, until: "/on port \\d+/" });
  const { id, output } = getFields(started) as { id: string; output: string };
  expect(id).toMatch(/^term-\d+$/);
  expect(output).toMatch(/^on port \d+\n/);
  expect(getText(started)).toMatch(
    /^Terminal Session Started\nID: term-\d+\nCommand: node -e .*\nPosition: \d+\n\nOutput:\non port \d+\n/,
  );
  expect(getNotes(started)).toBe("Matched `until`");
  expect(getText(await call("terminal_list"))).toContain(`${id.padEnd(12)} | node -e`);
  const stopped = await call("terminal_stop", { sessionId: id });
  expect(getText(stopped)).toBe(`Terminal session ${id} terminated.`);
  expect(getText(await call("terminal_list"))).not.toContain(id);
});

test("Y21 Y22 python, a y/n question, a secret, a pager and a runaway, in one shell", async () => {
  const started = await call("terminal_start", { command: "bash --norc", until: "$ " });
  const { id } = getFields(started) as { id: string };
  const type = async (stdin: string, wanted?: string) => {
    const result = await call("terminal_continue", {
      sessionId: id,
      stdin,
      ...compact({ until: wanted }),
    });
    expect(result.isError, getText(result)).not.toBe(true);
    return getFields(result)["output"] as string;
  };
  const lines = () => asked.filter(({ kind }) => kind === "input").map(({ command }) => command);

  // One shell for all: an agent starts at most three sessions in a minute.
  if (has("python3")) {
    const before = lines().length;
    expect(await type("python3 -q\n", ">>> ")).toContain(">>> ");
    expect(lines().slice(before)).toEqual(["python3 -q"]);
    expect(await type("x = 42\n", ">>> ")).toContain("x = 42");
    expect(await type("print(x * 2)<Enter>", "84")).toContain("84");
    // If python had ended, the shell behind it would run these lines.
    expect(lines().slice(before)).toEqual(["python3 -q", "x = 42", "print(x * 2)"]);
    await type("<C-d>", "$ ");
  }

  writeFileSync(
    join(place.folder, "ask.sh"),
    'printf "Go on? [y/n] "; read a; printf "Secret: "; read -r b < /dev/tty; echo "$a and $b"',
  );
  expect(await type("bash ask.sh\n", "[y/n] ")).toContain("Go on? [y/n]");
  expect(await type("y\n", "Secret: ")).toContain("Secret: ");
  expect(await type("<C-c>", "$ ")).toContain("^C");
  expect(await type('read -rs secret; echo; echo "${#secret} long"\n')).not.toContain("long\n");
  expect(await type("hunter2\n", "long")).toMatch(/^\n7 long/);

  if (has("less")) {
    expect(await type("seq 1000 | less\n", "\n:")).toMatch(/\s1\n2\n3\n/);
    expect(await type("G", "(END)")).toContain("1000");
    await type("q", "$ ");
  }
  await type("while echo y; do sleep 0.1; done\n", "y\ny\n");
  expect(await type("<C-c>", "$ ")).toContain("^C");

  const over = await call("terminal_continue", { sessionId: id, stdin: "exit 5\n" });
  expect(getFields(over)).toMatchObject({ complete: true, exitCode: 5 });
  expect(getText(over)).toMatch(/Complete: true/);
  expect(getText(await call("terminal_list"))).toBe("No active terminal sessions.");
  const again = await call("terminal_continue", { sessionId: id, position: 0 });
  expect(getFields(again)["position"]).toBeGreaterThan(0);
}, 120_000);

test("Y95 a session survives a bridge that is killed; a command does not", async () => {
  const started = await call("terminal_start", { command: "cat", stdin: "before\n" });
  const { id, position } = getFields(started) as { id: string; position: number };
  void call("bash", { command: "sleep 4321" }).catch(() => {});
  const sleeps = () =>
    listProcesses(place.root).filter((pid) => place.readCommand(pid).includes("sleep 4321"));
  await until("the command runs", () => sleeps().length > 0);
  const { agent } = product.ready.tokens;
  await product.kill();
  product = await place.start();
  await until("the command has ended", () => sleeps().length === 0);
  call = await agentAt(product, agent);
  expect(getText(await call("terminal_list"))).toMatch(
    new RegExp(`^${id} +\\| cat +\\| ${position} +\\| Yes`, "m"),
  );
  const typed = await call("terminal_continue", {
    sessionId: id,
    stdin: "after\n",
    until: "after\nafter\n",
  });
  expect(getFields(typed)["output"]).toBe("after\nafter\n");
  // That its number is not given again is in bridge/agents/agent-sessions.test.ts.
});
