// Approvals through the real relay: an agent by a real MCP client, people by their sockets, and the
// bridge's own end in between.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Approval, ApprovalWord } from "../../protocol/approval.ts";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";

interface Result {
  readonly content: { type: string; text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
}

let place: Place;
let product: Product;
const ends: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  place = new Place();
  product = await place.start();
});
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await place[Symbol.asyncDispose]();
});

async function agent(token = product.ready.tokens.agent) {
  const client = new Client(
    { name: "agent", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(product.ready.endpoints.mcp), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  ends.push(() => client.close());
  return async (command: string, signal?: AbortSignal) =>
    (await client.callTool(
      { name: "bash", arguments: { command, workingDirectory: place.folder } },
      signal === undefined ? {} : { signal },
    )) as Result;
}

/** A person's socket, which hears questions and answers them. */
class Person {
  readonly client: PlainClient;
  #received = 0;

  private constructor(client: PlainClient) {
    this.client = client;
    ends.push(() => client.socket.close());
  }

  static async at({ ready }: Product, token = ready.tokens.edit): Promise<Person> {
    return new Person(await PlainClient.connect(ready.endpoints.peer, token));
  }

  /** The next message of this type. */
  async hears(type: string): Promise<Message> {
    const from = this.#received;
    const fits = (message: Message) =>
      message.type === type && this.client.messages.indexOf(message) >= from;
    const message = await this.client.message(fits, type);
    this.#received = this.client.messages.indexOf(message) + 1;
    return message;
  }

  async isAsked(): Promise<Approval> {
    return (await this.hears("approval:requested"))["approval"] as Approval;
  }

  answers(id: string, answer: ApprovalWord, reason?: string): void {
    this.client.send({ type: "approval:answer", id, answer, ...(reason && { reason }) });
  }

  get approvals(): Message[] {
    return this.client.messages.filter(({ type }) => type.startsWith("approval:"));
  }
}

const getText = (result: Result) => result.content[0]?.text ?? "";

test("Q7 with no one to ask an agent is told so at once, and what to do", async () => {
  const call = await agent();
  const result = await call("git reset --hard");
  expect(result.isError).toBe(true);
  expect(getText(result)).toMatch(
    /git reset.*no one is available to approve it\. Ask the user to open/,
  );
});

test("Q1 Q8 Q9 two people are asked at once, and exactly one answer counts", async () => {
  const [ana, ben, viewer] = await Promise.all([
    Person.at(product),
    Person.at(product),
    Person.at(product, product.ready.tokens.view),
  ]);
  expect(await ana.hears("approval:open")).toEqual({ type: "approval:open", ids: [] });
  await ben.hears("approval:open");
  const call = await agent();
  const running = call("git reset --hard");
  const [asked, same] = await Promise.all([ana.isAsked(), ben.isAsked()]);
  expect(same).toEqual(asked);
  expect(asked).toMatchObject({
    kind: "command",
    via: "bash",
    command: "git reset --hard",
    cwd: place.folder,
    verdict: "dangerous",
    isolation: "none",
    offers: ["once", "session", "deny"],
    expiresAt: null,
  });
  const late = await Person.at(product);
  expect(await late.hears("approval:open")).toMatchObject({ ids: [asked.id] });
  expect(await late.isAsked()).toEqual(asked);
  ana.answers(asked.id, "once");
  ben.answers(asked.id, "deny", "not on this branch");
  const result = await running;
  const [settled] = await Promise.all([
    ana.hears("approval:settled"),
    ben.hears("approval:settled"),
    late.hears("approval:settled"),
  ]);
  const isAllowed = settled["outcome"] === "allowed";
  expect(settled["by"]).toMatchObject({ door: "people" });
  expect(result.isError === true).toBe(!isAllowed);
  if (!isAllowed) expect(getText(result)).toBe("A person denied this: not on this branch");
  const loser = isAllowed ? ben : ana;
  expect(await loser.hears("approval:error")).toMatchObject({
    id: asked.id,
    code: "not_found",
    error: expect.stringContaining("already"),
  });
  viewer.answers(asked.id, "once");
  expect(await viewer.hears("approval:error")).toMatchObject({ code: "forbidden" });
  expect(viewer.approvals).toHaveLength(1);
});

test("Q3 Q69 a call that was given up leaves its question; the answer is the next call's, once", async () => {
  const ana = await Person.at(product);
  const call = await agent();
  const leaving = new AbortController();
  const given = call("git clean -fdx", leaving.signal);
  const { id } = await ana.isAsked();
  leaving.abort();
  await expect(given).rejects.toThrow();
  // Another waits for the same: nobody is asked again.
  const other = call("git clean -fdx");
  // What was asked before it has come by then, and who left has been noticed.
  expect((await call("echo here")).structuredContent).toMatchObject({ stdout: "here\n" });
  ana.answers(id, "deny", "keep those files");
  expect(getText(await other)).toBe("A person denied this: keep those files");
  const again = call("git clean -fdx");
  const second = await ana.isAsked();
  expect(second.id).not.toBe(id);
  ana.answers(second.id, "once");
  expect((await again).isError).not.toBe(true);
});

test("Q12 Q4 Q79 Q81 a rule lets alike commands run, outlasts the bridge's crash, and ends with its grant", async () => {
  const made = await place.run(["share", "--role", "agent", "--json", ...place.code]);
  const { token, grant } = JSON.parse(made.stdout);
  let call = await agent(token);
  let ana = await Person.at(product);
  const first = call("expr 1 + 1");
  const asked = await ana.isAsked();
  expect(asked).toMatchObject({
    verdict: "unknown",
    offers: ["once", "session", "prefix", "deny"],
    rule: "expr 1 …",
  });
  ana.answers(asked.id, "prefix");
  expect((await first).structuredContent).toMatchObject({ stdout: "2\n" });
  expect((await call("expr 1 + 2")).structuredContent).toMatchObject({ stdout: "3\n" });
  const rules = async () => (await place.run(["rules", "--json"])).stdout;
  expect(await rules()).toContain("expr 1 …");

  await product.kill();
  product = await place.start();
  call = await agent(token);
  ana = await Person.at(product);
  expect((await call("expr 1 + 3")).structuredContent).toMatchObject({ stdout: "4\n" });
  // Its stream ends with its grant; when the client's call does is the client's business.
  void call("expr 2 + 2").catch(() => {});
  const second = await ana.isAsked();
  expect(second.command).toBe("expr 2 + 2");
  await place.run(["revoke", grant.id]);
  expect(await ana.hears("approval:settled")).toEqual({
    type: "approval:settled",
    id: second.id,
    outcome: "withdrawn",
  });
  expect(await rules()).not.toContain("expr");
});

test("Q5 the audit log has who asked, who answered and by which door, and what was used", async () => {
  const { stdout } = await place.run(["audit", "--json"]);
  const entries = stdout
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
  const events = entries.map(({ event }) => event);
  for (const event of ["asked", "denied", "allowed", "used", "withdrawn", "rule made"]) {
    expect(events).toContain(`approval ${event}`);
  }
  const denied = entries.find(({ event }) => event === "approval denied");
  expect(denied).toMatchObject({
    tool: "bash",
    verdict: "dangerous",
    arguments: { by: { door: "people" } },
    outcome: expect.stringMatching(/^deny: /),
  });
});
