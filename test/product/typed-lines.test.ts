// Lines that an agent types into a shell that a person approved, with real shells: each way to make the
// shell read something other than what was judged asks first, and what the person denies does not run.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";
import { has } from "../support/tools.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

const PROMPT = "/[$#%] $/";
const DENIED = /victim|made/;

let place: Place;
let product: Product;
let client: Client;
let person: PlainClient;
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

// Fresh for each test: an agent may start few sessions a minute.
beforeEach(async () => {
  place = new Place();
  product = await place.start();
  const { endpoints, tokens } = product.ready;
  person = await PlainClient.connect(endpoints.peer, tokens.edit);
  person.onMessage = (message) => {
    if (message.type !== "approval:requested") return;
    const approval = message["approval"] as { id: string; command: string; why: string[] };
    const { id, command, why } = approval;
    asked.push(command);
    const isDenied = DENIED.test([command, ...why].flat().join(" "));
    person.send({ type: "approval:answer", id, answer: isDenied ? "deny" : "once" });
  };
  client = new Client({ name: "agent", version: "1" });
  const headers = { authorization: `Bearer ${tokens.agent}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoints.mcp), { requestInit: { headers } }),
  );
});

afterEach(async () => {
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
  test("Y27 Y28 Y103 Y104 no line runs unasked that the shell reads otherwise than it was judged", async () => {
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

    // Completion expands the line.
    await shell.isDenied(`echo $(${maker})<Tab>`);
    await shell.type(`echo $(${maker})`);
    await shell.isDenied("<Tab>");
    await shell.type("<C-c>", PROMPT);
    await shell.type("<C-c>", PROMPT);

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

/** An editor as editors are: it runs what is typed into it, at a key that is no Enter. */
const EDITOR = `#!/bin/sh
printf 'EDITOR> '
stty -icanon min 1
typed=
while key=$(dd bs=1 count=1 2>/dev/null) && [ "$key" != @ ] && [ "$key" != Z ]; do
  typed="$typed$key"
  [ -n "$key" ] || typed="$typed "
done
stty icanon
[ "$key" = Z ] || eval "$typed"
exit 1
`;

test("Y35 Y36 A28 no program that a safe command opens runs what an agent types unasked", async () => {
  const repository = join(place.folder, "repository");
  mkdirSync(repository);
  const editor = join(place.folder, "editor");
  writeFileSync(editor, EDITOR, { mode: 0o755 });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, stdio: "pipe" });
  git("init", "-q");
  git("config", "core.editor", editor);
  git("config", "user.name", "a");
  git("config", "user.email", "a@example.org");
  git("config", "core.pager", "sh");
  for (let at = 0; at < 3; at++) git("commit", "--allow-empty", "-q", "-m", `commit ${at}`);
  const isMade = (name: string) => existsSync(join(repository, name));
  const start = (command: string, more: Record<string, unknown> = {}) =>
    call("terminal_start", { command, workingDirectory: "repository", ...more });

  // A session that the policy calls safe.
  let before = asked.length;
  const until = "EDITOR> ";
  const commit = await start("git commit --allow-empty", { stdin: "touch made-1@", until });
  expect([commit.isError, asked.slice(before)], commit.text).toEqual([false, ["touch made-1@"]]);
  const sessionId = commit.fields["id"];
  const denied = await call("terminal_continue", { sessionId, stdin: "touch made-2@" });
  expect([denied.isError, asked.length - before], denied.text).toEqual([true, 2]);
  const allowed = await call("terminal_continue", { sessionId, stdin: "touch " });
  expect([allowed.isError, asked.length - before], allowed.text).toEqual([false, 3]);
  const over = await call("terminal_continue", { sessionId, stdin: "Z", until: "editor" });
  expect([over.isError, asked.length - before], over.text).toEqual([false, 3]);

  // Pagers print and end.
  before = asked.length;
  const log = await start("git log --oneline", { until: "commit 0" });
  expect([log.text.includes("commit 2"), asked.slice(before)]).toEqual([true, []]);

  // A program that a safe line opens in an approved shell.
  const shell = await Shell.start("sh");
  await shell.type("cd repository\n", PROMPT);
  before = asked.length;
  await shell.type("git commit --allow-empty\n", "EDITOR> ");
  expect(asked.slice(before)).toEqual([]);
  await shell.isDenied("touch made-3@");
  await call("terminal_stop", { sessionId: shell.id });

  // By pipes.
  before = asked.length;
  const command = "git commit --allow-empty";
  await call("bash", { command, workingDirectory: "repository", stdin: "touch made-4@" });
  expect(asked.length - before).toBe(1);
  const made = ["made-1", "made-2", "made-3", "made-4"].filter(isMade);
  expect(made, "nothing ran unasked").toEqual([]);
}, 120_000);
