// Lines that an agent types into a shell that a person approved, with real shells: each way to make the
// shell read something other than what was judged asks first, and what the person denies does not run.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import type { Message } from "../support/seed-client.ts";
import { SeedClient } from "../support/seed-client.ts";
import { has } from "../support/tools.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const PROMPT = "/[$#%] $/";
const DENIED = /victim|made/;

let place: Place;
let product: Product;
let client: Client;
let person: SeedClient;
const asked: string[] = [];

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly fields: Record<string, unknown>;
}

async function call(name: string, args: Record<string, unknown>): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args });
  const [first] = result.content as { text?: string }[];
  const fields = (result.structuredContent ?? {}) as Record<string, unknown>;
  return { isError: result.isError === true, text: first?.text ?? "", fields };
}

beforeAll(async () => {
  place = new Place();
  product = await place.start();
  const { endpoints, tokens } = product.ready;
  person = await SeedClient.connect(endpoints.peer, tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const { id, command } = message["approval"] as { id: string; command: string };
    asked.push(command);
    const isDenied = DENIED.test([command].flat().join(" "));
    person.send({ type: "approval:answer", id, answer: isDenied ? "deny" : "once" });
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

/** A session with a shell, and the attacks on it. */
class Shell {
  readonly id: string;
  readonly terminal: string;
  readonly victim: string;
  readonly made: string;
  /** Creates `made`. */
  readonly maker: string;

  private constructor(id: string, terminal: string) {
    this.id = id;
    this.terminal = terminal;
    this.victim = `victim-${id}`;
    this.made = `made-${id}`;
    this.maker = `./maker-of-made-${id}`;
    mkdirSync(join(place.folder, this.victim));
    const script = `#!/bin/sh\n: > ${this.made}\n`;
    writeFileSync(join(place.folder, this.maker), script, { mode: 0o755 });
    writeFileSync(join(place.folder, `text-${id}`), "line\n".repeat(1_000));
  }

  static async start(command: string): Promise<Shell> {
    const from = person.messages.length;
    const started = await call("terminal_start", { command, until: PROMPT });
    expect(started.isError, started.text).toBe(false);
    const isCreated = ({ type, event }: Message) => type === "terminal" && event === "created";
    const created = await person.message(isCreated, "the session", PATIENCE_MS, from);
    const { id } = created["terminal"] as { id: string };
    return new Shell(started.fields["id"] as string, id);
  }

  type(stdin: string, until?: string): Promise<Answer> {
    return call("terminal_continue", { sessionId: this.id, stdin, ...(until && { until }) });
  }

  /** Types it, and expects a question that the person denies; nothing was typed then. */
  async isDenied(stdin: string): Promise<void> {
    const before = asked.length;
    const answer = await this.type(stdin);
    expect(asked.slice(before), `${stdin} was asked about`).toHaveLength(1);
    expect(answer.isError, answer.text).toBe(true);
    await this.isUnharmed();
  }

  async isUnharmed(): Promise<void> {
    expect(existsSync(join(place.folder, this.victim)), "the folder is still there").toBe(true);
    expect(existsSync(join(place.folder, this.made)), "nothing was created").toBe(false);
  }

  /** A person steps in, types, and hands back. */
  async stepIn(keys: string): Promise<void> {
    person.attach(this.terminal);
    const from = person.messages.length;
    person.send({ type: "pty:step-in", id: this.terminal });
    const isStepped = (message: Message, is: boolean) => {
      const { type, event, terminal } = message;
      if (type !== "terminal" || event !== "changed") return false;
      return Object.hasOwn(Object(terminal), "steppedIn") === is;
    };
    await person.message((one) => isStepped(one, true), "the step-in", PATIENCE_MS, from);
    person.type(this.terminal, keys);
    person.send({ type: "pty:hand-back", id: this.terminal, hide: true });
    await person.message((one) => isStepped(one, false), "the hand-back", PATIENCE_MS, from);
  }
}

const SHELLS = ["sh", "bash --norc", "zsh -f"].filter((line) => has(line.split(" ")[0] ?? ""));

describe.each(SHELLS)("%s", (command) => {
  test("Y27 Y28 no line runs unasked that the shell reads otherwise than it was judged", async () => {
    const shell = await Shell.start(command);
    const { victim, made, maker } = shell;

    // The ordinary case stays without a question, line after line.
    let before = asked.length;
    for (const line of ["ls\n", "echo one two\n", "pwd\nls\n"]) {
      expect((await shell.type(line, PROMPT)).isError).toBe(false);
    }
    expect(asked.slice(before)).toEqual([]);

    // What the terminal's driver drops at ^Z stands in no line.
    await shell.type("cat\n");
    await shell.type("echo x");
    await shell.type("<C-z>", PROMPT);
    await shell.isDenied(`rm -rf ${victim}\n`);
    await shell.type("<C-c>", PROMPT);
    await shell.isDenied(`rm -rf ${victim}\n`);

    // A program reads the beginning of a line that is typed ahead; the shell reads the rest.
    await shell.isDenied(`head -c5\necho ${maker}\n`);
    await shell.type("head -c5\n");
    await shell.isDenied(`echo ${maker}\n`);
    await shell.type("<C-c>", PROMPT);

    // Typed ahead while another program runs.
    await shell.type("sleep 30\n");
    await shell.isDenied(`${maker}\n`);
    await shell.type("<C-c>", PROMPT);

    // An open quote makes text of commands, and commands of text.
    await shell.type("echo '\n");
    await shell.isDenied(`ls '; ${maker}; '\n`);
    await shell.type("<C-c>", PROMPT);
    before = asked.length;
    expect((await shell.type("ls\n", PROMPT)).isError).toBe(false);
    expect(asked.slice(before)).toEqual([]);

    if (has("less")) {
      await shell.type(`less text-${shell.id}\n`, "line");
      await shell.isDenied(`qtouch ${made}\n`);
      await shell.isDenied(`echo Q${maker}\n`);
      // In two calls: the text waits in the shell's line.
      await shell.type(`qtouch ${made}`);
      await shell.isDenied("\n");
      await shell.type("<C-c>", PROMPT);
      await shell.type("<C-c>", PROMPT);
    }
    await shell.isUnharmed();

    // A person clears the line, or leaves half of one.
    await shell.type("echo ");
    await shell.stepIn("\u0015");
    await shell.isDenied(`${maker}\n`);
    await shell.type("<C-c>", PROMPT);
    await shell.stepIn(`touch ${made}`);
    before = asked.length;
    // What the person typed is not shown: the question is about the Enter.
    const enter = shell.type(" #made\n");
    expect((await enter).isError).toBe(true);
    expect(asked.slice(before)).toHaveLength(1);
    await shell.isUnharmed();
    await call("terminal_stop", { sessionId: shell.id });
  }, 120_000);
});
