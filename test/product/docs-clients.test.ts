// docs/protocol.md for whoever writes a client: its messages are the product's, and the clients in
// docs/examples run against it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApprovalAnswer } from "../../protocol/approval.ts";
import { PTY_EVENTS, ROOM_EVENTS } from "../../protocol/pty.ts";
import { findPtyRequest, PTY_REQUESTS } from "../../protocol/pty-requests.ts";
import { localAgent } from "../support/everyday.ts";
import { findKind, toRun } from "../support/examples.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";
import { until } from "../support/waiting.ts";

const PROTOCOL = "docs/protocol.md";
const REQUESTS = new Set(
  [...PTY_REQUESTS.map(({ schema }) => schema), ApprovalAnswer].flatMap(
    (one): string[] => one.shape.type.def.values,
  ),
);

interface Shown {
  readonly type: string;
  readonly [field: string]: unknown;
}

const messagesShown: Shown[] = toRun("json")
  .filter((block) => findKind(block) === "messages")
  .flatMap(({ text }) =>
    text
      .trim()
      .split("\n")
      .map((line): Shown => JSON.parse(line)),
  );

let place: Place;
let product: Product;
beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

test("X1 the messages to the room that the page shows are all there are, and fit", () => {
  const requests = messagesShown.filter(({ type }) => REQUESTS.has(type));
  expect(new Set(requests.map(({ type }) => type))).toEqual(REQUESTS);
  for (const request of requests) {
    const schema = findPtyRequest(request.type)?.schema ?? ApprovalAnswer;
    expect(schema.safeParse(request).success, request.type).toBe(true);
  }
});

/** Names of its fields, and those of a terminal in it; `command` is there when there is one. */
function getFields(message: Shown | Message): string {
  const { terminal } = message;
  const inner = typeof terminal === "object" && terminal !== null ? Object.keys(terminal) : [];
  return [...Object.keys(message), ...inner.filter((name) => name !== "command")].toSorted().join();
}

/** The relay's workerd ends, and comes back on the same port; so does whoever was attached. */
async function cutAndBack(): Promise<void> {
  const from = product.events.length;
  const [, workerd] = place.relayProcesses().processes;
  process.kill(workerd?.pid ?? 0, "SIGKILL");
  const lost = await product.event("link_lost", { from });
  await product.event("link_up", { from: product.events.indexOf(lost) });
  // It may be back before the bridge is: who is attached is all that says so.
  await until("it is attached again", async () => {
    const { people } = JSON.parse((await place.run(["status", "--json"])).stdout);
    return people.some(({ attached }: { attached: string[] }) => attached.length === 1);
  });
}

/** Every file of docs/examples, with what it is run with. */
const EXAMPLES: Readonly<Record<string, () => Promise<void>>> = {
  "plain-client.mjs": async () => {
    const command = ["/bin/sh", "-c", "echo one; read -r word; echo two $word; exit 3"];
    const child = example("plain-client.mjs", [product.ready.links.edit, ...command]);
    let text = "";
    await new Promise<void>((resolve) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes("one")) resolve();
      });
    });
    await cutAndBack();
    child.stdin?.write("more\n");
    const [code] = await once(child, "close");
    expect([code, text.match(/one|two more/g)]).toEqual([3, ["one", "two more"]]);
  },
  "raw-client.mjs": async () => {
    const { id } = await product.open({ command: ["/bin/sh", "-c", "read -r n; seq $n; exit 4"] });
    const child = example("raw-client.mjs", [product.ready.links.view, id]);
    using typist = await PlainClient.connect(
      product.ready.endpoints.peer,
      product.ready.tokens.edit,
    );
    // Behind its first screen everything is exact.
    await once(child.stdout, "data");
    typist.type(id, "20000\r");
    const { code, text } = await ended(child);
    const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\r\n`).join("");
    expect([code, text.endsWith(`\r\n${numbers}`)]).toEqual([4, true]);
  },
  "mcp-client.mjs": async () => {
    const { endpoints, tokens } = product.ready;
    const child = example("mcp-client.mjs", [endpoints.mcp, tokens.agent]);
    expect(await ended(child)).toEqual({ code: 0, text: expect.stringContaining("listening") });
    expect(await (await product.http("/pty")).json()).toEqual([]);
  },
  "acp-agent.mjs": async () => {
    const { endpoints, tokens } = product.ready;
    const child = example("acp-agent.mjs", [endpoints.acp, tokens.agent]);
    using person = await PlainClient.connect(endpoints.peer, tokens.edit);
    const is = (state: string) => (message: Message) =>
      message.type === "conversation:changed" && JSON.stringify(message).includes(`"${state}"`);
    const changed = await person.message(is("idle"), "a conversation");
    const { id } = changed["conversation"] as { id: string };
    person.send({ type: "conversation:open", id });
    person.send({ type: "conversation:prompt", id, text: "ls -a /; ls nowhere" });
    const says = ({ type, ...rest }: Message) =>
      type.startsWith("conversation:") && JSON.stringify(rest).includes("lines and ended with 2");
    await person.message(says, "what became of the command");
    child.kill();
    await once(child, "exit");
  },
  "stdio-agent.mjs": async () => {
    // The command as docs/acp.md shows it.
    copyFileSync("docs/examples/stdio-agent.mjs", join(place.folder, "stdio-agent.mjs"));
    const shown = /pairpty (agent --prompt '([^']+)' -- node stdio-agent\.mjs)/.exec(
      readFileSync("docs/acp.md", "utf8"),
    );
    const [, , prompt = ""] = shown ?? [];
    const args = ["agent", "--prompt", prompt, "--", "node", "stdio-agent.mjs"];
    expect(await place.runFrom(CLI, args)).toMatchObject({
      code: 0,
      stdout: "hello from the room\nIt ended with 0.\n",
    });
    const help = await place.ask(["agent", "--help"]);
    expect(help.stdout).toContain("pairpty agent -- node stdio-agent.mjs");
  },
  "panel-client.mjs": async () => {
    const child = example("panel-client.mjs", [product.ready.links.edit, "docs"]);
    child.stdin?.write("echo from the pa''nel; exit 5\n");
    const text = expect.stringContaining("from the panel");
    expect(await ended(child)).toEqual({ code: 5, text });
  },
};

test("X3 X24 X29 Z13 the clients in docs/examples are shown as they are, and run; the plain one goes on where it was when its socket is cut", async () => {
  // Those of the service are service.test.ts's.
  const files = readdirSync("docs/examples").filter((name) => name.endsWith(".mjs"));
  expect(files.toSorted()).toEqual(Object.keys(EXAMPLES).toSorted());
  const sources = files.map((name) => readFileSync(join("docs/examples", name), "utf8"));
  expect(
    toRun("js")
      .filter(({ page }) => page !== "docs/service.md")
      .map(({ text }) => text)
      .toSorted(),
  ).toEqual(sources.toSorted());
  const plain = readFileSync("docs/examples/plain-client.mjs", "utf8").split("\n");
  const code = plain.filter((line) => !/^\s*(?:\/\/.*)?$/.test(line));
  expect(code.length).toBeLessThanOrEqual(40);
  const panel = readFileSync("docs/examples/panel-client.mjs", "utf8").split("\n");
  expect(panel.length).toBeLessThanOrEqual(60);
  for (const name of files) await EXAMPLES[name]?.();
});

// Last: it ends the bridge.
test("X1 D27 the messages from the room that the page shows come, with those fields", async () => {
  const { endpoints, tokens } = product.ready;
  using ada = await PlainClient.connect(endpoints.peer, tokens.edit);
  using bo = await PlainClient.connect(endpoints.peer, tokens.edit);
  await bo.ofType("pty:terminals");
  const { id } = await product.open({
    command: ["/bin/sh", "-c", `read -r line; printf '\\033]2;a title\\007'; exit 0`],
  });
  for (const client of [ada, bo]) {
    client.attach(id);
    await client.ofType("pty:attached");
  }
  ada.type(id, "x");
  await bo.message(({ driver }) => typeof driver === "number", "a driver");
  bo.send({ type: "pty:ask", id });
  bo.send({ type: "pty:record", id, on: true });
  await ada.ofType("pty:recording");
  ada.send({ type: "pty:resize", id, cols: 120, rows: 40 });
  bo.attach("pty-000000000000");
  await place.run(["status"]);
  await ada.ofType("pairpty:ping");
  await ada.ofType("pty:asked");
  await ada.ofType("pty:resized");
  await bo.ofType("pty:error");
  ada.type(id, "\r");
  await bo.ofType("pty:titled");
  await ada.ofType("pty:exit");
  ada.send({ type: "pty:spawn", id: "mine-1", command: ["cat"], cols: 120, rows: 40 });
  const { terminal } = await ada.ofType("pty:spawned");
  ada.send({ type: "pty:close", id: (terminal as { id: string }).id });
  await ada.ofType("pty:closed");
  await withAnAgent(ada, bo);
  await product.kill();
  await ada.message(({ state }) => state === "away", "away");
  const seen = [...ada.messages, ...bo.messages];
  for (const shown of messagesShown.filter(({ type }) => !REQUESTS.has(type))) {
    const alike = seen.filter(({ type }) => type === shown.type);
    expect(alike.map(getFields), shown.type).toContain(getFields(shown));
  }
  const rows = new Map(
    [...PTY_EVENTS, ...ROOM_EVENTS].map((row) => [String(row.shape.type.def.values[0]), row]),
  );
  for (const message of seen) {
    const fits = rows.get(message.type)?.safeParse(message);
    expect(fits?.error, message.type).toBeUndefined();
  }
  const table = /^## Messages from the room$([^]*?)^## /m.exec(readFileSync(PROTOCOL, "utf8"))?.[1];
  for (const { type } of seen) {
    expect(table).toContain(
      `| \`${type.replace(/^(approval|audit|conversation|room):.*/, "$1:…")}\``,
    );
  }
});

/** An agent's terminal that a person steps in to, and its question, answered twice: once too late. */
async function withAnAgent(ada: PlainClient, bo: PlainClient): Promise<void> {
  await ada.ofType("approval:open");
  const agent = await localAgent(place, "pairpty", ["mcp"]);
  const name = "spawn_background_terminal";
  const made = await agent.callTool({ name, arguments: { cwd: ".", command: ["sleep", "60"] } });
  const [{ text }] = made.content as [{ text: string }];
  const own: string = JSON.parse(text).id;
  ada.attach(own);
  ada.send({ type: "pty:step-in", id: own });
  await ada.ofType("pty:foreground");
  const called = agent.callTool({
    name: "bash",
    arguments: { command: "cargo run --release" },
  });
  const { approval } = await ada.ofType("approval:requested");
  const { id } = approval as { id: string };
  const answer = { type: "approval:answer", id, answer: "deny", reason: "not on this branch" };
  bo.send(answer);
  await ada.ofType("approval:settled");
  bo.send(answer);
  await bo.ofType("approval:error");
  expect((await called).isError).toBe(true);
  await agent.close();
}

function example(name: string, args: readonly string[]) {
  return spawn(process.execPath, [join("docs/examples", name), ...args], {
    env: place.environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

async function ended(child: ReturnType<typeof example>): Promise<{ code: number; text: string }> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code, text };
}
