// Coding agents over ACP, whole: a test agent on the SDK, by `pairpty agent` and through the relay,
// with a person who answers its questions. One product for all of it.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { isRunning, recordProcess } from "../../bridge/processes/process-record.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";
import { PATIENCE_MS, until } from "../support/waiting.ts";
import { canSandbox } from "../support/walls.ts";

const PROGRAM = join(import.meta.dirname, "../support/acp-agent.mjs");
/** For the SDK's dependencies that are no modules. */
const REQUIRE = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

const hasSandbox = await canSandbox();
let place: Place;
/** The program in one file: eight times, loading the SDK's many would cost more than what they do. */
let agentFile: string;
let product: Product;
let person: PlainClient;
/** Questions that the person was asked. */
const asked: { kind: string; agent: { label: string } }[] = [];

/** A person with the Edit link, who allows everything. */
async function come(): Promise<void> {
  person = await PlainClient.connect(product.ready.endpoints.peer, product.ready.tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const approval = message["approval"] as (typeof asked)[number] & { id: string };
    asked.push(approval);
    person.send({ type: "approval:answer", id: approval.id, answer: "once" });
  };
}

beforeAll(async () => {
  place = new Place();
  agentFile = join(place.folder, "agent.mjs");
  await build({
    entryPoints: [PROGRAM],
    outfile: agentFile,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: REQUIRE },
  });
  product = await place.start();
  await come();
});
afterAll(async () => {
  person.close();
  await place[Symbol.asyncDispose]();
});

const findConversation = (message: Message) => message["conversation"] as Conversation;

/** A conversation with the agent of this label, as a person has it. */
async function talkTo(label: string) {
  const isIts = (message: Message) =>
    message.type === "conversation:changed" &&
    findConversation(message).agent.label === label &&
    findConversation(message).state === "idle";
  const { id } = findConversation(await person.message(isIts, `a conversation with ${label}`));
  const opened = async (): Promise<Entry[]> => {
    const from = person.messages.length;
    person.send({ type: "conversation:open", id });
    const { entries } = await person.ofType("conversation:opened", from);
    return entries as Entry[];
  };
  await opened();
  const ask = async (text: string) => {
    const from = person.messages.length;
    person.send({ type: "conversation:prompt", id, text });
    const isEnd = ({ type, ...message }: Message) =>
      (type === "conversation:entry" && (message["entry"] as Entry).kind === "turn") ||
      type === "conversation:error";
    const end = await person.message(isEnd, `the end of ${text}`, PATIENCE_MS, from);
    if (end.type === "conversation:error") throw new Error(JSON.stringify(end));
    const last = (await opened()).findLast(({ kind }) => kind === "message");
    return last?.kind === "message" ? last.text : "";
  };
  const result = async (text: string) => JSON.parse(await ask(text));
  return { id, ask, result, opened };
}

/** The verb of the first way stays, for what is about the verb. */
let verb: ChildProcess;
let verbOutput = "";

const ways: Record<string, () => Promise<ChildProcess>> = {
  stdio: async () => {
    const flags = ["agent", "--label", "by stdio", "--", "node", agentFile];
    verb = place.spawn(CLI, flags, { LOADS: "1" });
    verb.stderr?.on("data", (chunk: Buffer) => {
      verbOutput += chunk.toString();
    });
    return verb;
  },
  relay: async () => {
    const flags = ["share", "--role", "agent", "--label", "by relay", "--json", ...place.code];
    const { token } = JSON.parse((await place.run(flags)).stdout);
    const { relay, workspace } = product.ready;
    const address = `${relay.replace("http", "ws")}/w/${workspace}/acp`;
    return spawn(process.execPath, [agentFile, "--relay", address, token], {
      stdio: ["ignore", "inherit", "inherit"],
    });
  },
};

describe.each(Object.keys(ways))("by %s", (way) => {
  let agent: ChildProcess;
  let talk: Awaited<ReturnType<typeof talkTo>>;
  beforeAll(async () => {
    agent = (await ways[way]?.()) ?? expect.unreachable();
    talk = await talkTo(`by ${way}`);
  });
  afterAll(async () => {
    if (agent === verb) return;
    const gone = once(agent, "exit");
    agent.kill();
    await gone;
  });

  test("AC60 the agent is introduced to us, and we to it", async () => {
    const given = await talk.result("given");
    expect(given).toMatchObject({
      protocolVersion: 1,
      clientInfo: { name: "pairpty" },
      clientCapabilities: { terminal: true, fs: { readTextFile: true, writeTextFile: true } },
      session: { cwd: place.folder },
    });
    const servers = given.session.mcpServers.map(({ name }: { name: string }) => name);
    expect(servers).toEqual(way === "stdio" ? ["pairpty"] : []);
  });

  test("AC60 the documented life of a terminal: created, shown, waited for, read, released, gone", async () => {
    const { terminalId, exit, output, released, dead } = await talk.result("lifecycle");
    expect({ exit, output, released }).toEqual({
      exit: { exitCode: 0, signal: null },
      output: { output: "one\ntwo\n", truncated: false, exitStatus: { exitCode: 0, signal: null } },
      released: {},
    });
    for (const method of ["output", "wait_for_exit", "kill", "release"]) {
      expect(dead[method], method).toMatchObject({ code: -32_002 });
    }
    const tool = (await talk.opened()).findLast(({ kind }) => kind === "tool");
    expect(tool).toMatchObject({
      title: "Printing",
      status: "completed",
      content: [{ type: "terminal", terminal: terminalId }],
    });
    // People read it on.
    person.attach(terminalId);
    await person.shows(terminalId, /one\r\ntwo/);
  });

  test("AC60 limits, variables, folder, exit codes, line ends and colours of a terminal", async () => {
    const { cut, none, env, code, lines, colours } = await talk.result("limits");
    expect(cut).toMatchObject({ output: "é".repeat(25), truncated: true });
    expect(none).toMatchObject({ output: "", truncated: true });
    expect(env.output).toBe(`hi\n${place.folder}\n`);
    expect(code).toMatchObject({ exit: { exitCode: 3, signal: null }, output: "out\nerr\n" });
    expect(lines.output).toBe("a\nb\r\nc");
    expect(colours.output).toBe("red");
  });

  test("AC60 a kill leaves the terminal to be read, a release ends the program", async () => {
    const { running, exit, after, lastly } = await talk.result(`ends ${place.folder}`);
    expect(running).toEqual({ output: "up\n", truncated: false });
    expect(exit).toMatchObject({ exitCode: null });
    expect(after).toEqual({ output: "up\n", truncated: false, exitStatus: exit });
    expect(lastly).toBeDefined();
    for (const name of ["killed", "released"]) {
      const record = recordProcess(Number(readFileSync(join(place.folder, name), "utf8")));
      await until(`${name} is gone`, () => !isRunning(record));
    }
  });

  test("AC60 the documented timeout: a wait that is given up, a kill, the output, a release", async () => {
    const { first, abandoned, exit, output, exitStatus } = await talk.result("timeout");
    expect(first).toBe("timer");
    expect(abandoned).toMatchObject({ code: -32_800 });
    expect(exit).toMatchObject({ exitCode: null });
    expect({ output, exitStatus }).toEqual({ output: "begun\n", exitStatus: exit });
  });

  test("AC60 what cannot be is an error with a code and a sentence", async () => {
    expect(await talk.result("errors")).toMatchObject({
      missing: { message: "Command not found: no-such-program-here" },
      relative: { code: -32_602, message: expect.stringContaining("absolute") },
      outside: { message: expect.stringContaining("outside") },
      session: { code: -32_002 },
      terminal: { code: -32_002 },
      shapeless: { code: -32_602 },
      method: { code: -32_601 },
    });
  });

  test("AC60 one question for one command: the agent's own", async () => {
    const from = asked.length;
    const { outcome, output } = await talk.result("permission");
    expect(outcome).toEqual({ outcome: "selected", optionId: "yes" });
    expect(output).toBe("allowed\n");
    expect(asked.slice(from)).toMatchObject([{ kind: "permission" }]);
  });

  test("AC60 files inside the workspace, written when a person allows it; long ones, too", async () => {
    const from = asked.length;
    const { before, written, whole, part, outside } = await talk.result(`files ${place.folder}`);
    expect(before.code === -32_002 || before.ok !== undefined).toBe(true);
    expect(written).toHaveProperty("ok");
    expect(whole.ok).toEqual({ content: "one\ntwo\nthree\n" });
    expect(part.ok.content.trimEnd()).toBe("two");
    expect(outside.message).toMatch(/outside|share/);
    expect(asked.slice(from).every(({ kind }) => kind === "write")).toBe(true);
    expect(await talk.result(`large ${place.folder}`)).toMatchObject({ isSame: true });
  });

  test("AC60 a terminal that the agent runs itself is shown, too", async () => {
    await talk.ask("shows");
    // Until it has begun it has only the agent's own name for it, and the turn does not wait.
    let terminal = "";
    await until("it is a terminal of the room", async () => {
      const tool = (await talk.opened()).findLast(({ kind }) => kind === "tool");
      const [shown] = tool?.kind === "tool" ? tool.content : [];
      if (shown?.type === "terminal") ({ terminal } = shown);
      return terminal.startsWith("pty-");
    });
    person.attach(terminal);
    await person.shows(terminal, "shown by the agent");
  });

  test("AC60 a turn is cancelled by a person", async () => {
    const turn = talk.ask("wait");
    const isWorking = (message: Message) =>
      message.type === "conversation:changed" && findConversation(message).state === "working";
    await person.message(isWorking, "it works", PATIENCE_MS, person.messages.length - 5);
    person.send({ type: "conversation:cancel", id: talk.id });
    await turn;
    expect((await talk.opened()).at(-1)).toMatchObject({ kind: "turn", reason: "cancelled" });
  });
});

describe("the verb", () => {
  const agent = (label: string, ...program: string[]) =>
    place.runFrom(CLI, ["agent", "--prompt", "hello", "--label", label, "--", ...program]);

  test("AC45 AC116 one turn without a page: its text, and a code by how it ended", async () => {
    const [hello, died, nonsense] = await Promise.all([
      agent("h", "node", agentFile),
      agent("d", "sh", "-c", "read -r line; exit 7"),
      agent("n", "sh", "-c", "yes this is no ACP | head -n 2000; sleep 60"),
    ]);
    expect(hello).toEqual({ code: 0, stdout: "hello\n", stderr: "" });
    expect(died).toMatchObject({ code: 6, stdout: "" });
    expect(died.stderr).toContain("d exited (code 7)");
    expect(nonsense.code).toBe(6);
    expect(nonsense.stderr).toContain("it does not speak ACP");
  });

  test.skipIf(!hasSandbox)(
    "AC47 behind a wall an agent has its settings and its key, and not the rest",
    async () => {
      const [settings, outside] = ["settings", "outside"].map((name) => join(place.root, name));
      mkdirSync(outside ?? "");
      const prompt = `looks ${place.folder} ${settings} ${outside}`;
      const flags = ["--isolation", "sandbox", "--settings", settings ?? "", "--prompt", prompt];
      const looked = await place.runFrom(
        CLI,
        ["agent", "--label", "walled", ...flags, "--", process.execPath, agentFile],
        { SOME_API_KEY: "k", TAKES_HTTP: "1" },
      );
      expect(looked).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(looked.stdout)).toEqual({
        shadow: false,
        key: "k",
        runtime: false,
        wrote: { workspace: true, settings: true, outside: false },
        servers: ["http"],
      });
    },
  );

  test("AC45 AC117 where no bridge runs, or no program is, it says so", async () => {
    const nowhere = await place.ask(["agent", "--cwd", "/tmp", "--", "node", agentFile]);
    expect(nowhere).toMatchObject({ code: 3, stdout: "" });
    expect(nowhere.stderr).toContain("pairpty is not running in /tmp");
    const missing = await place.ask(["agent", "--", "no-such-agent"]);
    expect(missing).toMatchObject({ code: 6, stdout: "" });
    expect(missing.stderr).toContain("the agent's program was not found: no-such-agent");
  });
});

test("AC48 after a crash of the bridge the verb starts its agent again, and a conversation that can be loaded is back", async () => {
  const begins = place.spawn(CLI, ["agent", "--label", "begins", "--", "node", agentFile]);
  const before = await talkTo("by stdio");
  const other = await talkTo("begins");
  await before.ask("hello");
  // Written down a little later, for the disk's sake.
  const kept = join(place.stateFolder(), "conversations", `${before.id}.json`);
  await until("it is kept", () => existsSync(kept) && readFileSync(kept, "utf8").includes("hello"));
  await product.kill();
  person.close();
  product = await place.start();
  await come();
  const after = await talkTo("by stdio");
  expect(after.id).toBe(before.id);
  expect(await after.opened()).toMatchObject([
    { kind: "message", text: "as before" },
    { kind: "note", text: "by stdio is back" },
  ]);
  expect(await after.ask("hello")).toBe("hello");
  expect((await talkTo("begins")).id).not.toBe(other.id);
  const gone = once(begins, "exit");
  begins.kill();
  expect(await gone).toEqual([0, null]);
});

// Last: it ends the verb.
test("AC113 AC46 a killed verb takes its agent along, and what that left; where it is was said", async () => {
  const talk = await talkTo("by stdio");
  await talk.ask(`leave ${place.folder}`);
  await until("it is left", () => existsSync(join(place.folder, "left")));
  const { relay, workspace } = product.ready;
  expect(verbOutput).toContain(`${relay}/w/${workspace}`);
  expect(verbOutput).toContain("run commands and change files on their own");
  const [, log] = /error goes to (\S+)\./.exec(verbOutput) ?? [];
  expect(readdirSync(join(log ?? "", ".."))).toContain("bridge.log");
  const left = recordProcess(Number(readFileSync(join(place.folder, "left"), "utf8")));
  verb.kill("SIGKILL");
  await until("all of it is gone", () => !isRunning(left));
});
