// Panels through the relay: the messages and the operations over HTTP. The client of
// docs/examples is run with the others there.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import type { Message } from "../support/plain-client.ts";
import { PlainClient } from "../support/plain-client.ts";
import { REACH } from "../support/waiting.ts";
import { compact } from "../../protocol/compact.ts";

let place: Place;
let product: Product;
beforeAll(async () => {
  place = new Place();
  configure({ shell: "sh", debug: true });
  product = await place.start();
});

function configure(terminal: object): void {
  const folder = join(place.root, "config", "pairpty");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.json"), JSON.stringify({ plugins: { terminal } }));
}
afterAll(async () => await place[Symbol.asyncDispose]());

interface Payload {
  readonly type?: string;
  readonly state?: string;
  readonly data?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly terminalId?: string;
  readonly next?: number;
}

/** A panel on a socket, as its client is documented. */
class Panel {
  readonly client: PlainClient;
  readonly #panelId: string;
  readonly #sessionId: string | undefined;

  constructor(client: PlainClient, panelId: string, sessionId?: string) {
    this.client = client;
    this.#panelId = panelId;
    this.#sessionId = sessionId;
  }

  send(payload: object): void {
    const names = { panelId: this.#panelId, panelType: "terminal", sessionId: this.#sessionId };
    this.client.send({ type: "panel_event", ...names, payload });
  }

  open(): void {
    this.send({ type: "panel_lifecycle", state: "opened" });
  }

  type(text: string): void {
    this.send({ type: "terminal_input", text });
  }

  text(): string {
    return this.#own(this.client.messages)
      .flatMap(({ data }) => data ?? [])
      .join("");
  }

  async payload(fits: (payload: Payload) => boolean, what: string, from = 0): Promise<Payload> {
    const isIt = (message: Message) => this.#own([message]).some(fits);
    const found = await this.client.message(isIt, what, undefined, from);
    return parsePayload(found);
  }

  status(state: string, from = 0): Promise<Payload> {
    const fits = (payload: Payload) =>
      payload.type === "terminal_status" && payload.state === state;
    return this.payload(fits, state, from);
  }

  async shows(part: string): Promise<void> {
    let recent = "";
    const isShown = ({ data = "" }: Payload): boolean => {
      recent = recent.slice(-REACH) + data;
      return recent.includes(part);
    };
    await this.payload(isShown, `output with ${part}`);
  }

  #own(messages: readonly Message[]): Payload[] {
    return messages
      .filter(
        ({ type, panelId, sessionId }) =>
          type === "panel_event" && panelId === this.#panelId && sessionId === this.#sessionId,
      )
      .map(parsePayload);
  }
}

function parsePayload({ payload }: Message): Payload {
  return typeof payload === "object" && payload !== null ? payload : {};
}

async function person(role: "edit" | "view" = "edit"): Promise<PlainClient> {
  const { endpoints, tokens } = product.ready;
  const client = await PlainClient.connect(endpoints.peer, tokens[role]);
  await client.ofType("pty:terminals");
  return client;
}

async function operate(
  operation: string,
  body: object,
  { role = "edit", session }: { role?: "edit" | "view" | "agent"; session?: string } = {},
) {
  const { links, tokens } = product.ready;
  const [base] = links.edit.split("#");
  const response = await fetch(`${base}/api/plugins/terminal/operations/${operation}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tokens[role]}`,
      ...compact({ "x-session-id": session }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

test("Z1 Z2 Z3 Z12 Z43 Z44 a session's panel starts once, of the size told before, for every socket of the session", async () => {
  using ada = await person();
  using bo = await person();
  using eve = await person();
  const [one, other] = [new Panel(ada, "p1", "s1"), new Panel(bo, "p1", "s1")];
  one.send({ type: "terminal_resize", cols: 100, rows: 1 });
  one.open();
  other.open();
  const { terminalId } = await one.status("ready");
  expect((await other.status("ready")).terminalId).toBe(terminalId);
  other.type("stty size; echo mark''ed by $0\n");
  await one.shows("marked by");
  expect(one.text()).toContain("2 100");
  expect(one.text()).toMatch(/marked by \S*sh\r\n/);
  const list = await place.run(["ls", "--json"]);
  expect(list.stdout).toContain(`${terminalId}`);
  expect(eve.messages.filter(({ type }) => type === "panel_event")).toEqual([]);
  other.type("exit 3\n");
  const closed = await one.status("closed");
  expect(closed).toMatchObject({ exitCode: 3, signal: null });
  // Typing into a panel that has none starts the next one.
  const from = ada.messages.length;
  one.type("echo again\n");
  await one.status("ready", from);
  ada.send({ type: "session_deleted", sessionId: "s1" });
  await other.status("closed", from);
  const { stdout } = await place.run(["logs", "--source", "bridge"]);
  expect(stdout).toContain("panel session:s1::p1: terminal");
});

test("Z50 Z51 Z52 plugins.terminal.debug enables debug logging for panel events and PTY lifecycle", async () => {
  using ada = await person();
  const panel = new Panel(ada, "logged", "s-debug");
  panel.send({ type: "terminal_resize", cols: 90, rows: 20 });
  panel.open();
  const { terminalId } = await panel.status("ready");
  panel.type("hunter2=1; exit 4\n");
  await panel.status("closed");
  const lines = async () =>
    (await place.run(["logs", "--source", "bridge"])).stdout
      .split("\n")
      .filter((line) => line.includes("panel session:s-debug::logged: "))
      .map((line) => line.replace(/^.*::logged: /, ""));
  await vi.waitFor(async () => expect((await lines()).join("\n")).toContain("exited"), 10_000);
  const logged = await lines();
  expect(logged).toEqual(
    expect.arrayContaining([
      "received terminal_resize 90×20",
      "received panel_lifecycle opened",
      expect.stringMatching(new RegExp(`^terminal ${terminalId} started: pid \\d+, 90×20$`)),
      "sent terminal_status ready",
      "received terminal_input, 18 bytes",
      expect.stringMatching(new RegExp(`^terminal ${terminalId} exited with code 4, \\d+ bytes`)),
    ]),
  );
  expect(logged.join("\n")).not.toContain("hunter2");
});

test("Z45 a panel without a session is its connection's, and ends with it", async () => {
  using ada = await person();
  using bo = await person();
  const panel = new Panel(ada, "own");
  panel.open();
  const { terminalId } = await panel.status("ready");
  await bo.message(
    ({ event, terminal }) =>
      event === "created" && JSON.stringify(terminal).includes(`${terminalId}`),
    "the news of its terminal",
  );
  expect(bo.messages.filter(({ type }) => type === "panel_event")).toEqual([]);
  ada.socket.close();
  await bo.message(
    ({ event, terminal }) =>
      event === "closed" && JSON.stringify(terminal).includes(`${terminalId}`),
    "its end",
  );
});

test("Z4 Z6 Z44 a view link joins its session and does nothing else; nonsense is answered at its panel", async () => {
  using ada = await person();
  using vic = await person("view");
  const [panel, watching] = [new Panel(ada, "w", "s4"), new Panel(vic, "w", "s4")];
  watching.open();
  watching.type("echo no\n");
  const refused = await watching.status("error");
  expect(refused.message).toContain("read-only");
  panel.open();
  await watching.status("ready");
  panel.type("echo se''en\n");
  await watching.shows("seen");
  panel.send({ type: "terminal_dance" });
  expect((await panel.status("error")).message).toContain("panel_event");
  ada.send({ type: "panel_party" });
  expect((await ada.ofType("panel_error"))["error"]).toContain("panel_party");
  vic.send({ type: "session_deleted", sessionId: "s4" });
  expect((await vic.ofType("panel_error"))["code"]).toBe("forbidden");
  expect(panel.text()).not.toContain("echo no");
  panel.send({ type: "panel_lifecycle", state: "closed" });
  expect(await watching.status("closed")).toMatchObject({ exitCode: null });
});

test("Z5 a panel that moves to another session leaves its terminal behind and starts another", async () => {
  using ada = await person();
  const before = new Panel(ada, "m", "from");
  const after = new Panel(ada, "m", "to");
  before.open();
  const first = await before.status("ready");
  after.send({ type: "panel_session_changed", previousSessionId: "from", sessionId: "to" });
  await before.status("closed");
  const second = await after.status("ready");
  expect(second.terminalId).not.toBe(first.terminalId);
  ada.send({ type: "session_deleted", sessionId: "to" });
  await after.status("closed");
});

test("Z46 a panel client that acks and falls behind is skipped, and gets a new start", async () => {
  using ada = await person();
  using bo = await person();
  const [panel, typing] = [new Panel(ada, "flood", "s7"), new Panel(bo, "flood", "s7")];
  panel.open();
  typing.open();
  const { terminalId } = await panel.status("ready");
  // Whoever types and acks would pace the program instead.
  typing.type("stty -echo; PS1=; clear\n");
  await panel.payload(({ next }) => next !== undefined, "output");
  ada.send({ type: "pty:ack", id: terminalId, offset: 1 });
  const from = ada.messages.length;
  typing.type("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo do''ne\n");
  // Nothing is acked meanwhile: the room stops at its bound, and what comes then is a new start.
  await typing.shows("done");
  expect(panel.text().length).toBeLessThan(1_500_000);
  let last = Math.max(...ada.messages.map((message) => parsePayload(message).next ?? 0));
  const ack = () => ada.send({ type: "pty:ack", id: terminalId, offset: last });
  ada.onMessage = (message) => {
    last = Math.max(last, parsePayload(message).next ?? 0);
    ack();
  };
  ack();
  const isStart = ({ data }: Payload) => data?.startsWith("\u001bc") === true;
  await panel.payload(isStart, "a new start", from);
  await panel.shows("done");
  expect(panel.text().length).toBeLessThan(2_500_000);
  ada.onMessage = () => {};
  ada.send({ type: "session_deleted", sessionId: "s7" });
  await panel.status("closed");
});

test("Z8 Z9 Z10 Z47 Z48 operations over HTTP write, and read the bridge's screen or the open panel's", async () => {
  using ada = await person();
  const panel = new Panel(ada, "op", "s8");
  expect(await operate("write", { text: "x", panelId: "op" })).toMatchObject({ status: 409 });
  panel.open();
  await panel.status("ready");
  const written = await operate("write", { text: "echo écr''it\n" }, { session: "s8" });
  expect(written).toEqual({
    status: 200,
    body: {
      ok: true,
      result: { ok: true, sessionId: "s8", panelId: "op", bytesWritten: 14 },
    },
  });
  await panel.shows("écrit");
  const read = await operate("read-screen", { panelId: "op" });
  const { snapshot } = read.body.result;
  expect(snapshot.lines).toHaveLength(24);
  expect(snapshot.lines.join("\n")).toContain("écrit\n");
  expect(new Date(snapshot.timestamp).toISOString()).toBe(snapshot.timestamp);
  const asking = operate("read-screen", { panelId: "op", source: "client" });
  const { requestId } = await panel.payload(
    ({ type }) => type === "terminal_snapshot_request",
    "a question",
  );
  panel.send({
    type: "terminal_snapshot_response",
    requestId,
    snapshot: { ...snapshot, lines: ["mine"] },
  });
  expect((await asking).body.result.snapshot.lines).toEqual(["mine"]);
  const late = { panelId: "op", source: "client", timeoutMs: 20 };
  expect(await operate("read-screen", late)).toMatchObject({
    status: 504,
    body: { code: "terminal_snapshot_timeout" },
  });
  expect(await operate("write", { text: 1 })).toMatchObject({
    status: 400,
    body: { code: "invalid_arguments" },
  });
  expect(await operate("read-screen", {}, { session: "nobody's" })).toMatchObject({
    status: 404,
    body: { code: "terminal_not_found" },
  });
  expect(await operate("write", { text: "x" }, { role: "view" })).toMatchObject({
    status: 403,
    body: { code: "forbidden" },
  });
  expect(await operate("read-screen", {}, { role: "agent" })).toMatchObject({ status: 403 });
  const [base] = product.ready.links.view.split("#");
  const list = await fetch(`${base}/api/plugins`, {
    headers: { authorization: `Bearer ${product.ready.tokens.view}` },
  });
  expect(await list.json()).toMatchObject({
    plugins: [
      {
        id: "terminal",
        panels: [
          {
            type: "terminal",
            multiInstance: true,
            defaultSessionBinding: "fixed",
            sessionScope: "optional",
            capabilities: ["terminal.exec"],
          },
        ],
      },
    ],
  });
  ada.send({ type: "session_deleted", sessionId: "s8" });
  await panel.status("closed");
});

test("Z7 others attach to a panel's terminal by pty:attach, on another socket or the same", async () => {
  using ada = await person();
  using bo = await person();
  const panel = new Panel(ada, "both", "s13");
  panel.open();
  const { terminalId } = await panel.status("ready");
  bo.attach(`${terminalId}`);
  await bo.ofType("pty:attached");
  panel.type("echo for bo''th\n");
  await bo.shows(`${terminalId}`, "for both");
  ada.attach(`${terminalId}`);
  await ada.ofType("pty:attached");
  bo.type(`${terminalId}`, "echo a''gain\n");
  await ada.shows(`${terminalId}`, "again");
  ada.send({ type: "session_deleted", sessionId: "s13" });
  await bo.ofType("pty:exit");
});

test("Z7 Z12 after kill -9 of the bridge a panel goes on; with panels switched off there are none", async () => {
  using ada = await person();
  const panel = new Panel(ada, "kept", "s14");
  panel.open();
  await panel.status("ready");
  panel.type("x=kept\n");
  await panel.shows("x=kept");
  const before = ada.messages.length;
  await product.kill();
  product = await place.start();
  const from = ada.messages.length;
  await ada.message(({ type }) => type === "pty:terminals", "the bridge", undefined, before);
  panel.type("echo still $x\n");
  await panel.shows("still kept");
  expect(ada.messages.slice(from).filter(({ type }) => type === "panel_error")).toEqual([]);
  ada.send({ type: "session_deleted", sessionId: "s14" });
  await panel.status("closed");
  configure({ enabled: false });
  const gone = ada.messages.length;
  await product.kill();
  product = await place.start();
  await ada.message(({ type }) => type === "pty:terminals", "the bridge", undefined, gone);
  const later = ada.messages.length;
  panel.open();
  expect((await ada.ofType("pty:error", later))["error"]).toContain("panel_event");
  expect(await operate("read-screen", {})).toMatchObject({ status: 404 });
});
