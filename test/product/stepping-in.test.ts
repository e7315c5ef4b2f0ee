// A person types a password into an agent's prompt: in the page's words through the relay, and in a
// window of their own. Everything that the agent gets is recorded, and the audit log read.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "../support/product.ts";
import type { Product } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";
import { Tty } from "../support/tty.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const DETACH = "\u001C";
const SECRETS = ["hunter2-in-the-page", "hunter3-in-a-window"];
const LATER = "hunter4-over-a-crash";

// It echoes what it reads, and says it in its title: both are to be hidden.
const PROMPT = `ask() {
  printf '%s: ' "$1"; read -r word; printf '\\033]0;%s\\007' "$word"; echo "you said $word"
  read -r _; echo "$1 is \${#word} long"
}
ask Password; read -r _; ask Passphrase; read -r _; echo finished
`;

let place: Place;
let product: Product;
let client: Client;
let person: PlainClient;
/** Outlasts a bridge. */
let token: string;
let recorded = "";

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const result = JSON.stringify(await client.callTool({ name, arguments: args }));
  recorded += `${result}\n`;
  return result;
}

async function enter(): Promise<void> {
  const { endpoints } = product.ready;
  client = new Client({ name: "agent", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  const requestInit = { requestInit: { headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoints.mcp), requestInit));
}

async function readAll(id: string, sessionId = "term-1"): Promise<void> {
  await call("read_terminal", { terminalId: id });
  await call("read_terminal", { terminalId: id, offset: 0, raw: true });
  await call("terminal_continue", { sessionId, position: 0, until: "nothing" });
  await call("list_terminals", {});
  await call("terminal_read_screen", { terminalId: id });
  for (const uri of [`terminal://${id}`, `terminal://${id}/screen`]) {
    recorded += `${JSON.stringify(await client.readResource({ uri }))}\n`;
  }
}

async function handedBack(from: number): Promise<void> {
  const isBack = ({ type, event, terminal }: Message) =>
    type === "terminal" && event === "changed" && !Object.hasOwn(Object(terminal), "steppedIn");
  await person.message(isBack, "the hand-back", PATIENCE_MS, from);
}

beforeAll(async () => {
  place = new Place();
  writeFileSync(join(place.folder, "ask.sh"), PROMPT);
  product = await place.start();
  const { endpoints, tokens } = product.ready;
  person = await PlainClient.connect(endpoints.peer, tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const { id } = message["approval"] as { id: string };
    person.send({ type: "approval:answer", id, answer: "once" });
  };
  const { stdout } = await place.run(["share", "--role", "agent", "--json"]);
  token = JSON.parse(stdout).token;
  await enter();
});

afterAll(async () => {
  await client.close();
  person.close();
  await place[Symbol.asyncDispose]();
});

test("I60 I63 I64 I65 I67 I68 I69 I93 I104 a password typed by a person reaches the agent's program, and nothing that the agent reads", async () => {
  const started = await call("terminal_start", { command: "sh ask.sh", until: "Password: " });
  expect(started).toContain("Password: ");
  const created = await person.message(
    ({ type, terminal }) =>
      type === "terminal" && (terminal as { owner?: string }).owner === "agent",
    "the agent's terminal",
  );
  const { id } = created["terminal"] as { id: string };
  person.attach(id);
  await person.shows(id, "Password: ");

  person.type(id, "too early\r");
  const refused = await person.ofType("pty:error");
  expect(refused["error"]).toContain("step in first");

  person.send({ type: "pty:step-in", id });
  const reader = await person.ofType("pty:foreground");
  expect(reader["program"]).toMatch(/^\/.*sh$/);
  person.type(id, `${SECRETS[0]}\r`);
  await person.shows(id, `you said ${SECRETS[0]}`);
  expect(await call("terminal_continue", { sessionId: "term-1", stdin: "x\n" })).toContain(
    "a person is typing",
  );
  await readAll(id);
  person.send({ type: "pty:hand-back", id, hide: true });
  await handedBack(person.messages.length);
  const later = await call("terminal_continue", {
    sessionId: "term-1",
    stdin: "\n",
    until: "long",
  });
  expect(later).toMatch(/\[hidden: \d+ bytes typed by a person\].*Password is 19 long/);
  await readAll(id);

  const next = await call("terminal_continue", {
    sessionId: "term-1",
    stdin: "\n",
    until: "Passphrase: ",
  });
  expect(next).toContain("Passphrase: ");
  const window = Tty.pairpty(place, ["attach", id], {});
  await window.shows("an agent is working here: press i to step in");
  window.type("i");
  await window.shows("typing into");
  window.type(`${SECRETS[1]}\r`);
  await window.shows(`you said ${SECRETS[1]}`);
  await readAll(id);
  const from = person.messages.length;
  window.type(DETACH);
  await window.shows("Detached");
  await handedBack(from);
  await readAll(id);
  const end = await call("terminal_continue", {
    sessionId: "term-1",
    stdin: "\n",
    until: "long",
  });
  expect(end).toContain("Passphrase is 19 long");
  await readAll(id);

  const audit = readFileSync(join(place.stateFolder(), "audit.log"), "utf8");
  expect(audit).toContain('"stepped in"');
  expect(audit).toMatch(/"handed back".*"hidden":true/);
  expect(recorded).toContain("typed by a person");
  for (const secret of SECRETS) {
    expect(recorded).not.toContain(secret);
    expect(audit).not.toContain(secret);
  }
});

test("I99 over a kill -9 of the bridge the person types on, and the agent gets nothing of it", async () => {
  const from = person.messages.length;
  const started = await call("terminal_start", { command: "sh ask.sh", until: "Password: " });
  const sessionId = /term-\d+/.exec(started)?.[0] ?? "";
  const { terminal } = await person.message(
    ({ type, event }) => type === "terminal" && event === "created",
    "the agent's terminal",
    PATIENCE_MS,
    from,
  );
  const { id } = terminal as { id: string };
  person.attach(id);
  await person.shows(id, "Password: ");
  person.send({ type: "pty:step-in", id });
  await person.ofType("pty:foreground", from);
  person.type(id, LATER.slice(0, 7));
  await person.shows(id, LATER.slice(0, 7));
  await client.close();
  await product.kill();
  const restart = person.messages.length;
  product = await place.start();
  // Told again: the bridge knows who has stepped in, by their socket.
  await person.ofType("pty:foreground", restart);
  person.type(id, `${LATER.slice(7)}\r`);
  await person.shows(id, `you said ${LATER}`);
  await enter();
  expect(await call("terminal_continue", { sessionId, stdin: "x\n" })).toContain(
    "a person is typing",
  );
  await readAll(id, sessionId);
  const before = person.messages.length;
  person.send({ type: "pty:hand-back", id, hide: true });
  await handedBack(before);
  const later = await call("terminal_continue", { sessionId, stdin: "\n", until: "long" });
  expect(later).toMatch(/\[hidden: \d+ bytes typed by a person\].*Password is 20 long/);
  await readAll(id, sessionId);
  expect(recorded).not.toContain(LATER.slice(0, 7));
});
