// Agents at a screen, through the relay: an editor typed into and read, as text and as a picture;
// what a person hides from them; and where a person lets them type.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Product } from "../support/product.ts";
import { Place } from "../support/product.ts";
import { PlainClient } from "../support/plain-client.ts";
import { has } from "../support/tools.ts";
import { until } from "../support/waiting.ts";

let place: Place;
let product: Product;
let token: string;
let code: string;
let agent: Client;
beforeAll(async () => {
  place = new Place();
  product = await place.start();
  ({ code } = product.ready);
  const scopes = ["--role", "agent", "--scopes", "read,spawn,type", "--label", "at the screen"];
  const shared = await place.run(["share", ...scopes, "--json"]);
  ({ token } = JSON.parse(shared.stdout));
  agent = await connect();
});
afterAll(async () => {
  await agent.close();
  await place[Symbol.asyncDispose]();
});

async function connect(): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(product.ready.endpoints.mcp);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

async function call(name: string, args: Record<string, unknown>) {
  const { content, isError } = await agent.callTool({ name, arguments: args });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return { content, text, isError: isError === true };
}

async function person(role: "edit" | "view"): Promise<PlainClient> {
  const { endpoints, tokens } = product.ready;
  const client = await PlainClient.connect(endpoints.peer, tokens[role]);
  await client.ofType("pty:terminals");
  return client;
}

test.skipIf(!has("vim"))(
  "Z22 Z23 Z64 an agent edits a file in vim and reads the result from the screen",
  async () => {
    // Nobody was asked about the start: a person allows the typing, once for all of it.
    using ada = await person("edit");
    let questions = 0;
    ada.onMessage = (message) => {
      if (message.type !== "approval:requested") return;
      questions += 1;
      const { id } = message["approval"] as { id: string };
      ada.send({ type: "approval:answer", id, answer: "once" });
    };
    const command = ["vim", "-u", "NONE", "-N", "note.txt"];
    const spawned = await call("spawn_background_terminal", { cwd: place.folder, command });
    const { id: terminalId } = JSON.parse(spawned.text.split("\n")[0] ?? "");
    const screen = (more = {}) =>
      call("terminal_read_screen", { terminalId, waitMs: 150, ...more });
    expect((await screen()).text).toContain("~");
    const typed = await call("terminal_write", {
      terminalId,
      text: "ihello from an agent<Enter><<Up><Esc>:w<Enter>",
    });
    expect(typed.isError).toBe(false);
    const { text } = await screen();
    expect(text).toContain("hello from an agent\n<Up>\n~");
    expect(text).toContain("alternate screen");
    const picture = await screen({ format: "png" });
    const [image] = picture.content;
    const png = image?.type === "image" ? Buffer.from(image.data, "base64") : Buffer.alloc(0);
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.readUInt32BE(16)).toBe(80 * 16);
    const file = readFileSync(join(place.folder, "note.txt"), "utf8");
    expect(file).toBe("hello from an agent\n<Up>\n");
    await call("terminal_write", { terminalId, text: ":q<Enter>" });
    expect(questions).toBe(1);
    await until("vim has ended", async () => {
      const list = await call("list_terminals", {});
      return !list.text.includes(terminalId);
    });
  },
);

test("Z21 Z22 Z60 an agent types into a person's terminal only while a person lets it", async () => {
  const { id: terminalId } = await product.open({ command: ["cat"] });
  const write = (text: string) => call("terminal_write", { terminalId, text });
  expect((await write("no<Enter>")).text).toContain("Alt+A");
  const ada = await person("edit");
  using bo = await person("view");
  ada.attach(terminalId);
  bo.send({ type: "pty:agents-type", id: terminalId, on: true });
  expect((await bo.ofType("pty:error"))["code"]).toBe("forbidden");
  ada.send({ type: "pty:agents-type", id: terminalId, on: true });
  const isOpen = (on: boolean) => (message: object) => {
    const text = JSON.stringify(message);
    return text.includes('"changed"') && text.includes("at the screen") === on;
  };
  await bo.message(isOpen(true), "that agents may type");
  expect((await write("typed by an agent<Enter>")).isError).toBe(false);
  await ada.shows(terminalId, "typed by an agent");
  const from = bo.messages.length;
  ada.socket.close();
  await bo.message(isOpen(false), "that they no longer may", undefined, from);
  expect((await write("no<Enter>")).isError).toBe(true);
  const verb = (state: string, ...more: string[]) =>
    place.run(["agents-type", terminalId, state, ...more]);
  expect((await verb("on")).stderr).toContain("--code");
  expect(await verb("on", "--code", code)).toMatchObject({ code: 0 });
  expect((await write("by the host's word<Enter>")).isError).toBe(false);
  expect(await verb("off")).toMatchObject({ code: 0 });
  expect((await write("no<Enter>")).isError).toBe(true);
  await place.run(["close", terminalId]);
});

test("Z20 Z54 no agent and no view link sees a private terminal, after kill -9 of the bridge neither", async () => {
  using vic = await person("view");
  const { id: secret } = await product.open({
    command: ["sh", "-c", "echo hid''den; exec cat"],
    private: true,
  });
  const { id: open } = await product.open({ command: ["cat"] });
  using ada = await person("edit");
  expect(JSON.stringify(ada.messages)).toContain(secret);
  await vic.message(({ event }) => event === "created", "the other one");
  // Somebody is kept to watching: bridges from now on doubt whoever they did not see come.
  using wim = await person("view");
  using zoe = await person("edit");
  const isYou = ({ type }: { type?: unknown }) => type === "room:you";
  const greets = async (client: PlainClient, name: string) => {
    const from = client.messages.length;
    client.send({ type: "room:hello", device: `${name}-browser-0123456789`, name });
    return await client.message(isYou, `${name} is known`, undefined, from);
  };
  await greets(ada, "Ada");
  await greets(vic, "Vic");
  await greets(wim, "Wim");
  const { you } = await greets(zoe, "Zoe");
  ada.send({ type: "room:rights", who: you, role: "view" });
  await zoe.message(({ limited }) => limited === true, "Zoe is kept to watching");
  const blind = async () => {
    const list = await call("list_terminals", {});
    expect(list.text).toContain(open);
    expect(list.text).not.toContain(secret);
    for (const [tool, args] of [
      ["read_terminal", {}],
      ["terminal_read_screen", {}],
      ["terminal_write", { text: "x" }],
      ["kill_terminal", {}],
    ] as const) {
      const { text } = await call(tool, { terminalId: secret, ...args });
      expect(text).not.toContain("hidden");
    }
    await expect(agent.readResource({ uri: `terminal://${secret}` })).rejects.toThrow();
    await expect(agent.readResource({ uri: `terminal://${secret}/screen` })).rejects.toThrow();
    expect(JSON.stringify([vic.messages, wim.messages])).not.toContain(secret);
  };
  await blind();
  await product.kill();
  product = await place.start();
  await until("the agent is back", async () => {
    await agent.close();
    agent = await connect();
    return true;
  });
  await greets(ada, "Ada");
  await greets(vic, "Vic");
  await greets(wim, "Wim");
  await blind();
  ada.send({ type: "pty:private", id: open, on: true });
  await vic.message(
    ({ event, terminal }) => event === "closed" && JSON.stringify(terminal).includes(open),
    "the end of what became private",
  );
  expect((await call("list_terminals", {})).text).not.toContain(open);
  ada.send({ type: "pty:private", id: open, on: false });
  await until("seen again", async () => (await call("list_terminals", {})).text.includes(open));
  const listEvents = (): unknown[] => {
    const events = vic.messages
      .filter(
        ({ type, terminal }) => type === "terminal" && JSON.stringify(terminal).includes(open),
      )
      .map(({ event }) => event);
    return events.slice(events.lastIndexOf("closed") + 1);
  };
  await until("told again", async () => listEvents().includes("created"));
  expect(listEvents()).toEqual(["created"]);
});
